//go:build recorded

// Imports of the packages that are only read as source.
package main

import (
	_ "k8s.io/api/core/v1"
	_ "k8s.io/client-go/pkg/apis/clientauthentication/v1"
	_ "k8s.io/client-go/tools/clientcmd/api/v1"
	_ "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	_ "k8s.io/metrics/pkg/apis/metrics/v1beta1"
	_ "sigs.k8s.io/controller-tools/pkg/deepcopy"
	_ "sigs.k8s.io/controller-tools/pkg/rbac"
	_ "sigs.k8s.io/controller-tools/pkg/webhook"
)
