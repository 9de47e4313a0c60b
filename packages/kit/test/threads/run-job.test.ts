import { expect } from 'chai';
import { AppError } from '../../src/errors/index.js';
import { errorOf, runJob, ThreadPool, threadFailureOf } from '../../src/threads/index.js';
import type { Job } from './answering-thread.js';

describe('jobs of threads', () => {
  const newPool = (idleMs = 10_000) =>
    new ThreadPool(new URL('./answering-thread.js', import.meta.url), { maxHeapMb: 64, idleMs });
  const failed = (error: unknown) => (error instanceof Error ? error.message : String(error));
  const run = async (pool: ThreadPool, job: Job, transfer: readonly ArrayBuffer[] = []) => {
    const thread = pool.take();
    const outcome = await runJob<unknown>(thread, job, transfer, failed);
    if (outcome.isThreadUsable) pool.keep(thread);
    return { ...outcome, thread };
  };

  it('hand bytes over, and leave the thread to the next one', async () => {
    const pool = newPool();
    const bytes = new Uint8Array(1024);
    const first = await run(pool, { kind: 'take', bytes }, [bytes.buffer]);
    expect([first.response, first.isThreadUsable, bytes.length]).to.deep.equal([1024, true, 0]);
    const second = await run(pool, { kind: 'take', bytes: new Uint8Array(1) });
    expect(second.thread).to.equal(first.thread);
    await second.thread.terminate();
  });

  it('fail with the end of their thread, which is not taken again', async () => {
    const pool = newPool();
    const thrown = await run(pool, { kind: 'throw' });
    expect([thrown.response, thrown.isThreadUsable]).to.deep.equal(['a defect', false]);
    const ended = await run(pool, { kind: 'exit' });
    expect([ended.response, ended.isThreadUsable]).to.deep.equal(['the thread ended', false]);
    expect(ended.thread).not.to.equal(thrown.thread);
  });

  it('leave an idle thread to its end', async () => {
    const { thread } = await run(newPool(1), { kind: 'take', bytes: new Uint8Array(1) });
    await new Promise((resolve) => thread.once('exit', resolve));
    expect(thread.threadId).to.equal(-1);
  });

  it('keep the reason of a refusal, and the stack of a defect', () => {
    const metadata = { fields: { name: ['is taken'] } };
    const refused = errorOf(threadFailureOf(new AppError('aborted', 'CHANGED', 'it changed', metadata)));
    expect(refused).to.be.instanceOf(AppError).and.to.include({ reason: 'CHANGED', message: 'it changed' });
    expect(refused).to.have.property('metadata').that.deep.equals(metadata);
    expect(errorOf(threadFailureOf(new Error('a defect'))).message).to.match(/^a thread failed: Error: a defect\n/);
  });
});
