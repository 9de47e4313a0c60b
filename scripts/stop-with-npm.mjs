// A SIGTERM that only npm gets ends the shell between npm and this process, and this process would never know: it sees
// that its parent has changed, and treats that as the signal.
if (process.env.npm_lifecycle_event !== undefined) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  timer.unref();
}
