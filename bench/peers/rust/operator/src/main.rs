//! Measures an operator on kube-rs, as bench/operator_bench.cc measures the same one on Keelson.
//!
//!     operator [--n 2000] [--workers 8] [--idle]          the server is that of KUBECONFIG
//!     operator --noop 200000 [--workers 8]                needs no server
//!
//! A Widget gets a ConfigMap of its name with its value, owned by it; then its phase is Ready. When the cache shows N
//! Widgets as Ready, a line of figures is printed. With --idle it then stays until its input ends. --noop
//! reconciles so many requests that wait in a stream, and does nothing for each.
//!
//! Times are since the environment's STARTED (seconds since 1970), so that loading the program counts.
//!
//! The ConfigMap is written by server-side apply and the status by a merge patch, which is how kube-rs's own examples do it.
//! They apply in every reconcile; here the ConfigMap is looked up in a cache first, as the other two operators do, so
//! that all three send two writes a Widget.
use std::{
    collections::{BTreeMap, HashSet},
    io::Read,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, CustomResource, Resource, ResourceExt,
    api::{ObjectMeta, Patch, PatchParams},
    runtime::{
        WatchStreamExt,
        controller::{self, Action, Config, Controller, ReconcileReason, ReconcileRequest},
        reflector::{self, ObjectRef, Store},
        watcher,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "bench.example.com", version = "v1", kind = "Widget", namespaced, status = "WidgetStatus")]
struct WidgetSpec {
    value: String,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
struct WidgetStatus {
    #[serde(default)]
    phase: String,
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs_f64()
}

fn since_start() -> f64 {
    static STARTED: OnceLock<f64> = OnceLock::new();
    let started =
        STARTED.get_or_init(|| std::env::var("STARTED").ok().and_then(|text| text.parse().ok()).unwrap_or_else(now));
    now() - started
}

fn cpu_seconds() -> f64 {
    let mut usage = unsafe { std::mem::zeroed::<libc::rusage>() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + 1e-6 * time.tv_usec as f64;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

fn kilobytes(file: &str, name: &str) -> String {
    let text = std::fs::read_to_string(format!("/proc/self/{file}")).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(name)).unwrap_or("");
    line.split_whitespace().nth(1).unwrap_or("0").to_string()
}

struct Operator {
    client: Client,
    settings: Store<ConfigMap>,
    wanted: usize,
    idle: bool,
    reconciles: AtomicUsize,
    errors: AtomicUsize,
    first: OnceLock<f64>,
    ready: Mutex<HashSet<String>>,
}

impl Operator {
    fn converged(&self) {
        println!(
            "converged n={} wall_s={:.3} cpu_s={:.3} reconciles={} errors={} first_reconcile_ms={:.1} rss_kb={} peak_kb={}",
            self.wanted,
            since_start(),
            cpu_seconds(),
            self.reconciles.load(Ordering::Relaxed),
            self.errors.load(Ordering::Relaxed),
            1e3 * self.first.get().copied().unwrap_or_default(),
            kilobytes("status", "VmRSS:"),
            kilobytes("status", "VmHWM:")
        );
        let idle = self.idle;
        std::thread::spawn(move || {
            if idle {
                std::thread::sleep(Duration::from_secs(3));
                println!(
                    "idle anonymous_kb={} rss_kb={}",
                    kilobytes("smaps_rollup", "Anonymous:"),
                    kilobytes("status", "VmRSS:")
                );
                let _ = std::io::stdin().read_to_end(&mut Vec::new());
            }
            std::process::exit(0)
        });
    }
}

async fn reconcile(widget: Arc<Widget>, operator: Arc<Operator>) -> Result<Action, kube::Error> {
    operator.reconciles.fetch_add(1, Ordering::Relaxed);
    operator.first.get_or_init(since_start);
    let (name, namespace) = (widget.name_any(), widget.namespace().unwrap_or_default());

    let data = Some(BTreeMap::from([("value".to_string(), widget.spec.value.clone())]));
    let owners = widget.controller_owner_ref(&()).map(|owner| vec![owner]);
    let found = operator.settings.get(&ObjectRef::new(&name).within(&namespace));
    if !found.is_some_and(|found| found.data == data && found.metadata.owner_references == owners) {
        let settings = ConfigMap {
            metadata: ObjectMeta { name: Some(name.clone()), owner_references: owners, ..Default::default() },
            data,
            ..Default::default()
        };
        Api::<ConfigMap>::namespaced(operator.client.clone(), &namespace)
            .patch(&name, &PatchParams::apply("bench-operator"), &Patch::Apply(&settings))
            .await?;
    }
    if widget.status.as_ref().is_none_or(|status| status.phase != "Ready") {
        Api::<Widget>::namespaced(operator.client.clone(), &namespace)
            .patch_status(&name, &PatchParams::default(), &Patch::Merge(json!({"status": {"phase": "Ready"}})))
            .await?;
        return Ok(Action::await_change());
    }
    let mut ready = operator.ready.lock().expect("nobody panics");
    if ready.insert(name) && ready.len() == operator.wanted {
        operator.converged();
    }
    Ok(Action::await_change())
}

fn error_policy(_: Arc<Widget>, error: &kube::Error, operator: Arc<Operator>) -> Action {
    operator.errors.fetch_add(1, Ordering::Relaxed);
    eprintln!("reconcile: {error}");
    Action::requeue(Duration::from_secs(1))
}

async fn operate(n: usize, workers: u16, idle: bool) -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::try_default().await?;
    let (settings, writer) = reflector::store();
    let owned = watcher(Api::<ConfigMap>::all(client.clone()), watcher::Config::default())
        .default_backoff()
        .reflect(writer)
        .touched_objects();
    let operator = Arc::new(Operator {
        client: client.clone(),
        settings,
        wanted: n,
        idle,
        reconciles: AtomicUsize::new(0),
        errors: AtomicUsize::new(0),
        first: OnceLock::new(),
        ready: Mutex::default(),
    });
    Controller::new(Api::<Widget>::all(client), watcher::Config::default())
        .owns_stream(owned)
        .with_config(Config::default().concurrency(workers))
        .run(reconcile, error_policy, operator)
        .for_each(|_| futures::future::ready(()))
        .await;
    Ok(())
}

struct Noop {
    wanted: usize,
    done: AtomicUsize,
    began: OnceLock<f64>,
    cpu: f64,
}

async fn do_nothing(n: usize, workers: u16) -> Result<(), Box<dyn std::error::Error>> {
    let (store, mut writer) = reflector::store::<Widget>();
    writer.apply_watcher_event(&watcher::Event::Init);
    let mut requests = Vec::new();
    for i in 0..n {
        let mut widget = Widget::new(&format!("widget-{i:06}"), WidgetSpec { value: String::new() });
        widget.meta_mut().namespace = Some("default".into());
        requests.push(Ok::<_, std::convert::Infallible>(ReconcileRequest {
            obj_ref: ObjectRef::from_obj(&widget),
            reason: ReconcileReason::Unknown,
        }));
        writer.apply_watcher_event(&watcher::Event::InitApply(widget));
    }
    writer.apply_watcher_event(&watcher::Event::InitDone);
    let noop = Arc::new(Noop { wanted: n, done: AtomicUsize::new(0), began: OnceLock::new(), cpu: cpu_seconds() });
    controller::applier(
        |_, noop: Arc<Noop>| {
            Box::pin(async move {
                noop.began.get_or_init(since_start);
                if noop.done.fetch_add(1, Ordering::Relaxed) + 1 == noop.wanted {
                    let passed = since_start() - noop.began.get().copied().unwrap_or_default();
                    println!(
                        "noop n={} workers={workers} per_s={:.0} cpu_us={:.2}",
                        noop.wanted,
                        noop.wanted as f64 / passed,
                        1e6 * (cpu_seconds() - noop.cpu) / noop.wanted as f64
                    );
                }
                Ok::<_, kube::Error>(Action::await_change())
            })
        },
        |_, _, _| Action::await_change(),
        noop,
        store,
        // Behind the requests it stays open, as a watch does; an end would be the beginning of a shutdown.
        stream::iter(requests).chain(stream::pending()),
        Config::default().concurrency(workers),
    )
    .take(n)
    .try_for_each(|_| futures::future::ready(Ok(())))
    .await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    since_start();
    let (mut n, mut workers, mut idle, mut noop) = (2000, 8, false, 0);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_default();
        match name.as_str() {
            "--n" => n = value().parse()?,
            "--workers" => workers = value().parse()?,
            "--noop" => noop = value().parse()?,
            "--idle" => idle = true,
            _ => return Err(format!("unknown argument {name}").into()),
        }
    }
    if noop > 0 { do_nothing(noop, workers).await } else { operate(n, workers, idle).await }
}
