import { parentPort } from 'node:worker_threads';

export type Job =
  { readonly kind: 'take'; readonly bytes: Uint8Array } | { readonly kind: 'throw' } | { readonly kind: 'exit' };

parentPort?.on('message', (job: Job) => {
  if (job.kind === 'throw') throw new Error('a defect');
  if (job.kind === 'exit') process.exit(0);
  parentPort?.postMessage(job.bytes.length, []);
});
