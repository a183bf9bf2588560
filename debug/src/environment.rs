//! The server that the variable `WSRT_DEBUG` starts.

use std::sync::{Mutex, Once, PoisonError};
use std::{env, io};

use crate::address::Clients;
use crate::server::{Server, start};

const DEBUG: &str = "WSRT_DEBUG";
/// Before an address that anyone may reach.
const ANYONE: &str = "anyone:";

/// Starts the server that the variable `WSRT_DEBUG` asks for, if it is set.
///
/// | `WSRT_DEBUG` | the server listens |
/// |---|---|
/// | unset or empty | not at all |
/// | `127.0.0.1:6670`, `[::1]:6670`, `localhost:6670` | on that loopback address; port 0 takes a free one |
/// | `unix:/run/app.sock` | on a Unix socket that only this user can open |
/// | `anyone:0.0.0.0:6670` | on any address: anyone who can reach it can look |
///
/// Browsers refuse some ports, such as 6669: choose another, such as 6670.
///
/// One line on standard error says where the server listens. The server runs until the process
/// ends, and shows all runtimes, whenever they are built. Further calls do nothing.
///
/// # Errors
///
/// Returns an error that names the variable and its value if the value is no such address, or if
/// the server cannot listen there.
///
/// # Examples
///
/// ```
/// # let runtime = wsrt::runtime::Runtime::new()?;
/// wsrt_debug::init()?;
/// runtime.run(async { /* the program */ });
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn init() -> io::Result<()> {
    /// The server of this process, once there is one.
    static RUNNING: Mutex<Option<Server>> = Mutex::new(None);
    let Some(value) = env::var_os(DEBUG).filter(|value| !value.is_empty()) else { return Ok(()) };
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    if running.is_none() {
        let value = value.to_string_lossy();
        let (address, clients) = match value.strip_prefix(ANYONE) {
            Some(address) => (address, Clients::Anyone),
            None => (&*value, Clients::OfThisMachine),
        };
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{DEBUG}={value}: {error}"));
        let server = start(address, clients).map_err(named)?;
        eprintln_quietly(&format!("the debug pages are at {server}"));
        *running = Some(server);
    }
    Ok(())
}

/// Calls [`init`] once, and reports an error: a variable for observation keeps no program from
/// running. For the drop-in.
#[doc(hidden)]
pub fn __init() {
    static CALLED: Once = Once::new();
    CALLED.call_once(|| {
        if let Err(error) = init() {
            eprintln_quietly(&format!("{error}; there are no debug pages"));
        }
    });
}

/// Writes a line to standard error, where perhaps nobody reads.
fn eprintln_quietly(text: &str) {
    let _ = io::Write::write_all(&mut io::stderr(), format!("wsrt: {text}\n").as_bytes());
}
