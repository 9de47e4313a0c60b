import { expect } from 'chai';
import { afterTask, beginRun, resultOf, startTask, taskLeaseMs } from '../../../src/domain/schedules/run.js';
import { missingPermissions, type ScheduleTask } from '../../../src/domain/schedules/schedule.js';

const at = new Date('2026-05-01T12:00:00Z');
const later = (ms: number) => new Date(at.getTime() + ms);

function task(changes: Partial<ScheduleTask> = {}): ScheduleTask {
  return { id: 'a', action: 'command', payload: 'say', timeOffsetSeconds: 0, continueOnFailure: false, ...changes };
}

const begin = (tasks: ScheduleTask[], cause: 'trigger' | 'manual' = 'trigger') =>
  beginRun({ tasks, onlyWhenOnline: false, authorId: 'author' }, { id: 'run', cause, at });

describe('a run of a schedule', () => {
  it('waits for the offset of its first task, unless a user executes it', () => {
    const tasks = [task({ timeOffsetSeconds: 30 })];
    expect(begin(tasks)).to.deep.include({ phase: 'waiting', dueAt: later(30_000), position: 0 });
    expect(begin(tasks, 'manual')).to.deep.include({ phase: 'executing', dueAt: later(taskLeaseMs) });
  });

  it('goes from task to task with their offsets, and succeeds', () => {
    const run = begin([task(), task({ timeOffsetSeconds: 5 })]);
    const step = afterTask(run, resultOf(run, 'succeeded', null, later(1_000)), run.tasks);
    if (!('next' in step)) throw new Error('the run has ended');
    expect(step.next).to.deep.include({ position: 1, phase: 'waiting', dueAt: later(6_000) });
    const second = startTask(step.next, later(6_000));
    expect(second).to.deep.include({ position: 1, phase: 'executing', dueAt: later(6_000 + taskLeaseMs) });
    const last = afterTask(second, resultOf(second, 'succeeded', null, later(7_000)), run.tasks);
    expect('ended' in last && last.ended).to.deep.include({ status: 'succeeded', error: null, endedAt: later(7_000) });
  });

  it('ends at a task that failed, unless that says to continue', () => {
    const failed = (run: ReturnType<typeof begin>) => afterTask(run, resultOf(run, 'failed', 'broken', at), run.tasks);
    const stopped = failed(begin([task(), task()]));
    expect('ended' in stopped && stopped.ended).to.deep.include({ status: 'failed', error: 'task 1: broken' });
    expect('next' in failed(begin([task({ continueOnFailure: true }), task()]))).to.equal(true);
  });

  it('continues after a task that was interrupted, and has failed in the end', () => {
    const run = begin([task(), task()]);
    const step = afterTask(run, resultOf(run, 'interrupted', 'stopped', at), run.tasks);
    if (!('next' in step)) throw new Error('the run has ended');
    const last = afterTask(step.next, resultOf(step.next, 'succeeded', null, at), run.tasks);
    expect('ended' in last && last.ended.status).to.equal('failed');
  });

  it('leaves out tasks that were removed before their start', () => {
    const [first, removed, last] = [task(), task({ id: 'b' }), task({ id: 'c', timeOffsetSeconds: 5 })];
    const run = begin([first, removed, last]);
    const result = resultOf(run, 'succeeded', null, at);
    expect(afterTask(run, result, [first, last])).to.have.deep.nested.property('next.position', 2);
    expect(afterTask(run, result, [first])).to.have.deep.nested.property('ended.status', 'succeeded');
  });

  it('ends after the task in which it was cancelled, as cancelled', () => {
    const run = { ...begin([task({ continueOnFailure: true }), task()]), cancelReason: 'a user cancelled it' };
    for (const status of ['succeeded', 'failed', 'interrupted'] as const) {
      const step = afterTask(run, resultOf(run, status, null, at), run.tasks);
      expect('ended' in step && step.ended).to.deep.include({ status: 'cancelled', error: 'a user cancelled it' });
      expect('ended' in step && step.ended.results).to.have.length(1);
    }
  });
});

describe('the permissions of tasks', () => {
  const needed = (tasks: ScheduleTask[]) => missingPermissions(tasks, () => false);
  for (const [action, payload, permission] of [
    ['command', 'say', 'control.console'],
    ['power', 'start', 'control.start'],
    ['power', 'stop', 'control.stop'],
    ['power', 'kill', 'control.stop'],
    ['power', 'restart', 'control.restart'],
    ['backup', '', 'backup.create'],
  ] as const)
    it(`requires ${permission} for ${action} ${payload}`, () => {
      expect(needed([task({ action, payload })])).to.deep.equal([permission]);
    });
});
