import type { LoadJob } from '../load/job.js';
import { runJob } from '../load/run-job.js';

/** Takes jobs, and answers each with `{type: 'result', …}`. */
process.on('message', (message: LoadJob) => {
  runJob(message).then(
    (result) => process.send?.({ type: 'result', ...result }),
    (error: unknown) => {
      process.stderr.write(`load: ${String(error)}\n`);
      process.exit(1);
    },
  );
});
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
process.send?.({ type: 'ready' });
