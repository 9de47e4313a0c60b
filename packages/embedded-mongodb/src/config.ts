/** The engine lets go of the file of a dropped or unused table after this time; its own default is ten minutes. */
const closesIdleAfterSeconds = 20;

/**
 * Before the engine's library is loaded, which reads them once. Its dispatcher hands commands to threads of the engine: a
 * second one costs wake-ups and gains nothing. Its files of dropped tables stay open: too many of them end the process.
 */
export function setEngineVariables(env: NodeJS.ProcessEnv = process.env): void {
  env['TOKIO_WORKER_THREADS'] ??= '1';
  const fileManager = `close_idle_time=${closesIdleAfterSeconds},close_scan_interval=5,close_handle_minimum=250`;
  env['WIREDTIGER_CONFIG'] ??= `file_manager=(${fileManager})`;
}
