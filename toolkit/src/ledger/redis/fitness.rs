//! What a server keeps of what it acknowledges, by its own account.

use redis::aio::MultiplexedConnection;
use toolkit_core::ledger::{Durability, LedgerError};

use super::RedisBuilder;
use super::session::failed;

/// What is waited for after each write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fitness {
    pub(super) durability: Durability,
    /// Whether the server tells when a change is in its file.
    pub(super) tells: bool,
    pub(super) replicas: u32,
}

impl Fitness {
    /// Asks the server, and refuses one that may lose rows unless the host accepted that.
    pub(super) async fn of(
        connection: &mut MultiplexedConnection,
        options: &RedisBuilder,
    ) -> Result<Self, LedgerError> {
        let replicas = options.replicas;
        let server = about(connection, "server").await?;
        let version = value(&server, "redis_version").unwrap_or_default();
        let tells = is_at_least(version, (7, 2));
        let replication = about(connection, "replication").await?;
        if value(&replication, "role").is_some_and(|role| role != "master") {
            return Err(LedgerError::Unfit(
                "the server is a replica, which can not be written to".to_owned(),
            ));
        }
        let followed = value(&replication, "connected_slaves").is_some_and(|count| count != "0");
        let mut faults = settings(connection, tells).await;
        if followed && replicas == 0 {
            faults.push(
                "it has replicas, and one that takes over may not have the newest rows: say \
                 how many must have each, with `.replicas(1)`"
                    .to_owned(),
            );
        }
        match (faults.as_slice(), &options.lossy) {
            ([], _) => Ok(Self { durability: Durability::Durable, tells, replicas }),
            (_, Some(why)) => {
                Ok(Self { durability: Durability::Lossy(why.clone()), tells: false, replicas })
            }
            (faults, None) => Err(LedgerError::Unfit(format!(
                "Redis may lose what it acknowledged: {}; or accept that with \
                 `.accept_lossy_redis(\"why\")`",
                faults.join("; ")
            ))),
        }
    }
}

/// What is set in a way that loses rows.
async fn settings(connection: &mut MultiplexedConnection, tells: bool) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, right, loses) in [
        ("appendonly", &["yes"][..], "changes of the last minutes are in no file"),
        (
            "appendfsync",
            if tells { &["always", "everysec"] } else { &["always"] },
            "changes of the last moments are not synced",
        ),
        (
            "no-appendfsync-on-rewrite",
            &["no"],
            "changes are not synced while the file is rewritten",
        ),
        ("maxmemory-policy", &["noeviction"], "rows are dropped to gain memory"),
    ] {
        let asked = redis::cmd("CONFIG").arg("GET").arg(name).query_async(connection).await;
        let found: Option<(String, String)> = match asked {
            Ok(found) => found,
            Err(error) => {
                faults.push(format!("`CONFIG GET {name}` is not answered: {error}"));
                continue;
            }
        };
        match found {
            Some((_, found)) if right.contains(&found.as_str()) => {}
            Some((_, found)) => {
                let right = right.first().copied().unwrap_or_default();
                faults.push(format!(
                    "`{name}` is {found}, so that {loses}: `CONFIG SET {name} {right}`, and the \
                     same in redis.conf"
                ));
            }
            None => faults.push(format!("`CONFIG GET {name}` gives nothing")),
        }
    }
    faults
}

async fn about(
    connection: &mut MultiplexedConnection,
    section: &str,
) -> Result<String, LedgerError> {
    let told = redis::cmd("INFO").arg(section).query_async(connection).await;
    told.map_err(|error| failed(&error))
}

fn value<'a>(told: &'a str, name: &str) -> Option<&'a str> {
    told.lines().find_map(|line| line.trim_end().strip_prefix(name)?.strip_prefix(':'))
}

fn is_at_least(version: &str, right: (u32, u32)) -> bool {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= right
}
