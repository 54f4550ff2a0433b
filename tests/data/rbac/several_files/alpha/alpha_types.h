// Package alpha has types.
// +groupName=alpha.example.com

#pragma once

// +kubebuilder:rbac:groups=alpha.example.com,resources=alphas,verbs=get;list;watch
// +kubebuilder:object:generate=true

// Alpha is a type.
struct Alpha {};

// +kubebuilder:rbac:groups=alpha.example.com,resources=alphas/status,verbs=update
