import { AppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { checkPowerAction, stateAfterAccept } from '../../../src/domain/power/power-transitions.js';
import {
  operationKinds,
  type PowerAction,
  powerActions,
  type PowerState,
  statusOf,
} from '../../../src/domain/servers/server.js';
import { anOperation, aServer, withPower } from '../../support/server-fixture.js';

/** "ok", or the reason. */
const answers: Record<PowerState, Record<PowerAction, string>> = {
  offline: { start: 'ok', stop: 'ALREADY_OFFLINE', restart: 'ok', kill: 'ok' },
  starting: { start: 'ALREADY_RUNNING', stop: 'ok', restart: 'ok', kill: 'ok' },
  running: { start: 'ALREADY_RUNNING', stop: 'ok', restart: 'ok', kill: 'ok' },
  stopping: { start: 'SERVER_LOCKED', stop: 'SERVER_LOCKED', restart: 'SERVER_LOCKED', kill: 'ok' },
};
/** While leased: "already running" first; all but kill wait. */
function lockedAnswer(state: PowerState, action: PowerAction): string {
  if (answers[state][action] === 'ALREADY_RUNNING') return 'ALREADY_RUNNING';
  return action === 'kill' ? 'ok' : 'SERVER_LOCKED';
}
const afterwards: Record<PowerAction, Record<PowerState, PowerState>> = {
  start: { offline: 'starting', starting: 'starting', running: 'starting', stopping: 'starting' },
  stop: { offline: 'offline', starting: 'stopping', running: 'stopping', stopping: 'stopping' },
  restart: { offline: 'starting', starting: 'stopping', running: 'stopping', stopping: 'stopping' },
  kill: { offline: 'offline', starting: 'stopping', running: 'stopping', stopping: 'stopping' },
};

const now = new Date('2026-01-01T00:00:10Z');
const states = Object.keys(answers) as PowerState[];

function refusal(...args: Parameters<typeof checkPowerAction>): AppError | null {
  try {
    checkPowerAction(...args);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

const answer = (...args: Parameters<typeof checkPowerAction>) => refusal(...args)?.reason ?? 'ok';

describe('power transitions', () => {
  for (const state of states) {
    for (const action of powerActions) {
      it(`answers ${answers[state][action]} to ${action} while ${state}`, () => {
        expect(answer(withPower(state), action, now)).to.equal(answers[state][action]);
        expect(stateAfterAccept(action, state)).to.equal(afterwards[action][state]);
      });
      it(`answers ${lockedAnswer(state, action)} to ${action} while ${state} and locked, and ignores an expired lock`, () => {
        const lock = { id: 'x', action: 'start' as const, owner: 'x', expiresAt: new Date(now.getTime() + 1) };
        expect(answer(withPower(state, { lease: lock }), action, now)).to.equal(lockedAnswer(state, action));
        const expired = { ...lock, expiresAt: new Date(now.getTime() - 1) };
        expect(answer(withPower(state, { lease: expired }), action, now)).to.equal(answers[state][action]);
      });
      it(`refuses ${action} while ${state} and suspended`, () => {
        expect(answer({ ...withPower(state), suspended: true }, action, now)).to.equal('SERVER_SUSPENDED');
      });
      for (const kind of operationKinds) {
        it(`refuses ${action} while ${state} and ${kind}, also when suspended`, () => {
          const server = { ...withPower(state), operation: anOperation(kind) };
          expect(answer(server, action, now)).to.equal('SERVER_LOCKED');
          expect(answer({ ...server, suspended: true }, action, now)).to.equal('SERVER_LOCKED');
        });
      }
    }
  }

  it('ends a waiting start by stop and kill alone', () => {
    const expiresAt = new Date(now.getTime() + 1);
    const lease = { id: 'x', action: 'start' as const, owner: 'x', expiresAt, isWaiting: true };
    const waiting = withPower('starting', { lease });
    expect(powerActions.map((action) => answer(waiting, action, now))).to.deep.equal([
      'ALREADY_RUNNING',
      'ok',
      'SERVER_LOCKED',
      'ok',
    ]);
  });

  it('refuses to start after a failed installation and still allows stop', () => {
    const install = { state: 'failed' as const, error: 'x', exitCode: 1, at: now };
    expect(answer(aServer({ install }), 'start', now)).to.equal('INSTALL_FAILED');
    expect(answer(aServer({ install }), 'restart', now)).to.equal('INSTALL_FAILED');
    expect(answer({ ...withPower('running'), install }, 'stop', now)).to.equal('ok');
    expect(answer(aServer({ install }), 'kill', now)).to.equal('ok');
  });

  it('names the status that the server shows in every refusal that names a state', () => {
    const installs = [
      { state: 'installed' as const, error: '', exitCode: 0, at: now },
      { state: 'failed' as const, error: 'x', exitCode: 1, at: now },
    ];
    let named = 0;
    for (const state of states) {
      for (const install of installs) {
        const server = { ...withPower(state), install };
        for (const action of powerActions) {
          const found = refusal(server, action, now)?.metadata['state'];
          if (found === undefined) continue;
          named += 1;
          expect(found, `${action} while ${state}, ${install.state}`).to.equal(statusOf(server));
        }
      }
    }
    expect(named).to.be.greaterThan(8);
  });

  it('names the status of the server in a refusal after a failed installation', () => {
    const install = { state: 'failed' as const, error: 'x', exitCode: 1, at: now };
    const server = { ...aServer({ install }), status: 'install_failed' as const };
    expect(() => checkPowerAction(server, 'start', now))
      .to.throw()
      .with.nested.property('metadata.state', server.status);
  });
});
