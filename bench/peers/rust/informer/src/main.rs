//! Measures an informer of kube-rs: lists and watches Pods into a reflector's store, then takes N updates, as
//! bench-informer does with Keelson.
//!
//!     informer --server URL [--events N]
//!
//! Prints "synced objects=… wall_s=… cpu_s=… rss_kb=… peak_kb=…" and, after N updates, "events=…" with the same figures of
//! that phase. The list is one answer (page size 0), as the other clients ask for it.
use std::{pin::pin, time::Instant};

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::{
    Api, Client, Config,
    runtime::{WatchStreamExt, reflector, watcher},
};

fn cpu_seconds() -> f64 {
    let mut usage = unsafe { std::mem::zeroed::<libc::rusage>() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + 1e-6 * time.tv_usec as f64;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

fn kilobytes(name: &str) -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap_or("");
    line.split_whitespace().nth(1).unwrap_or("0").to_string()
}

struct Phase {
    started: Instant,
    cpu: f64,
}

impl Phase {
    fn begin() -> Self {
        Phase { started: Instant::now(), cpu: cpu_seconds() }
    }
    fn print(&mut self, what: &str, count: usize) {
        println!(
            "{what}={count} wall_s={:.2} cpu_s={:.2} rss_kb={} peak_kb={}",
            self.started.elapsed().as_secs_f64(),
            cpu_seconds() - self.cpu,
            kilobytes("VmRSS:"),
            kilobytes("VmHWM:")
        );
        *self = Phase::begin();
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut server, mut events) = (String::new(), 0usize);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().unwrap_or_default();
        match name.as_str() {
            "--server" => server = value,
            "--events" => events = value.parse()?,
            _ => return Err(format!("unknown argument {name}").into()),
        }
    }
    let mut phase = Phase::begin();
    let client = Client::try_from(Config::new(server.parse()?))?;
    let pods: Api<Pod> = Api::all(client.clone());
    let (store, writer) = reflector::store();
    let config = watcher::Config { page_size: None, ..Default::default() }.any_semantic();
    let mut stream = pin!(watcher(pods, config).default_backoff().reflect(writer));
    let mut updates = 0;
    while let Some(event) = stream.next().await {
        match event? {
            watcher::Event::InitDone => {
                phase.print("synced objects", store.state().len());
                if events == 0 {
                    break;
                }
                // The server holds its updates back until it is told. The watch must be open by then: it is opened by the
                // next poll of the stream, so the request goes out a little later.
                let client = client.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
                    let request = http_get("/replay/updates");
                    client.request_text(request).await.expect("the replay server answers");
                });
            }
            watcher::Event::Apply(_) => {
                updates += 1;
                if updates == events {
                    phase.print("events", updates);
                    break;
                }
            }
            _ => {}
        }
    }
    std::process::exit(0) // freeing 100,000 objects one by one is not what is measured
}

fn http_get(path: &str) -> http::Request<Vec<u8>> {
    http::Request::get(path).body(Vec::new()).expect("a valid request")
}
