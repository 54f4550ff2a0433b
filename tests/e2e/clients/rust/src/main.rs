//! kube-rs against a server: create, list, watch, patch, and a watcher with its store.
//!
//! Takes the server from KUBECONFIG; prints `PASS what` or `FAIL what` for each check.

use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Client, ResourceExt};
use serde_json::json;

const NAMESPACE: &str = "kube-rs";
const PATIENCE: Duration = Duration::from_secs(20);

struct Checks {
    failed: bool,
}

impl Checks {
    fn that(&mut self, what: &str, good: bool, found: impl std::fmt::Debug) {
        if good {
            println!("PASS kube-rs: {what}");
        } else {
            self.failed = true;
            println!("FAIL kube-rs: {what}\n     {found:?}");
        }
    }
}

fn config_map(name: &str) -> ConfigMap {
    serde_json::from_value(json!({"metadata": {"name": name}, "data": {"a": "b"}})).expect("a ConfigMap")
}

async fn run(checks: &mut Checks) -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::try_default().await?;
    let namespace: Namespace = serde_json::from_value(json!({"metadata": {"name": NAMESPACE}}))?;
    Api::<Namespace>::all(client.clone()).create(&PostParams::default(), &namespace).await?;
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);

    let made = maps.create(&PostParams::default(), &config_map("one")).await?;
    checks.that("a configmap is created", made.uid().is_some(), &made);
    let listed = maps.list(&ListParams::default()).await?;
    checks.that("it is listed", listed.items.len() == 1, &listed);

    let (store, writer) = reflector::store();
    let mut watched = std::pin::pin!(
        watcher(maps.clone(), watcher::Config::default()).default_backoff().reflect(writer).applied_objects()
    );
    let first = tokio::time::timeout(PATIENCE, watched.try_next()).await??;
    checks.that("a watcher lists it", first.is_some(), &first);

    let patched = maps.patch("one", &PatchParams::default(), &Patch::Merge(json!({"data": {"c": "d"}}))).await?;
    checks.that("a merge patch changes it", patched.data.as_ref().is_some_and(|data| data.len() == 2), &patched.data);
    tokio::time::timeout(PATIENCE, watched.try_next()).await??;
    let held = store.state();
    checks.that(
        "a reflector holds it as it is now",
        held.first().is_some_and(|map| map.data.as_ref().is_some_and(|data| data.len() == 2)),
        &held,
    );

    let version = listed.metadata.resource_version.clone().unwrap_or_default();
    maps.create(&PostParams::default(), &config_map("two")).await?;
    maps.delete("two", &DeleteParams::default()).await?;
    let mut events = maps.watch(&WatchParams::default(), &version).await?.boxed();
    let mut seen = Vec::new();
    while seen.len() < 3 {
        match tokio::time::timeout(PATIENCE, events.try_next()).await?? {
            Some(WatchEvent::Added(map)) => seen.push(format!("added {}", map.name_any())),
            Some(WatchEvent::Modified(map)) => seen.push(format!("modified {}", map.name_any())),
            Some(WatchEvent::Deleted(map)) => seen.push(format!("deleted {}", map.name_any())),
            Some(_) => {}
            None => break,
        }
    }
    checks.that("a watch tells what happened since", seen == ["modified one", "added two", "deleted two"], &seen);

    let deployments: Api<Deployment> = Api::namespaced(client, NAMESPACE);
    let deployment: Deployment = serde_json::from_value(json!({
        "metadata": {"name": "web"},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "web", "image": "nginx"}]}
            }
        }
    }))?;
    let made = deployments.create(&PostParams::default(), &deployment).await?;
    checks.that("a deployment has its defaults", made.spec.replicas == Some(1), &made);
    let strategic = json!({"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "nginx:2"}]}}}});
    let patched = deployments.patch("web", &PatchParams::default(), &Patch::Strategic(strategic)).await?;
    checks.that("a strategic patch makes a new generation", patched.metadata.generation == Some(2), &patched.metadata);
    let missing = deployments.get_opt("missing").await?;
    checks.that("what is missing is none", missing.is_none(), &missing);
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut checks = Checks { failed: false };
    if let Err(error) = run(&mut checks).await {
        checks.that("no request fails", false, error);
    }
    std::process::exit(i32::from(checks.failed));
}
