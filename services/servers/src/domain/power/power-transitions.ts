import { fail } from '../../reasons.js';
import { type GameServer, type PowerAction, type PowerState, statusOf } from '../servers/server.js';

type PowerDecision = 'accept' | 'already_running' | 'already_offline' | 'locked';

/** For an unlocked server. Kill is always accepted, a stop of a waiting start too; a stopping server accepts only kill. */
const powerTransitions: Readonly<Record<PowerState, Readonly<Record<PowerAction, PowerDecision>>>> = {
  offline: { start: 'accept', stop: 'already_offline', restart: 'accept', kill: 'accept' },
  starting: { start: 'already_running', stop: 'accept', restart: 'accept', kill: 'accept' },
  running: { start: 'already_running', stop: 'accept', restart: 'accept', kill: 'accept' },
  stopping: { start: 'locked', stop: 'locked', restart: 'locked', kill: 'accept' },
};

/** For the conditional update. */
export function acceptingStates(action: PowerAction): PowerState[] {
  return (Object.keys(powerTransitions) as PowerState[]).filter(
    (state) => powerTransitions[state][action] === 'accept',
  );
}

export function stateAfterAccept(action: PowerAction, state: PowerState): PowerState {
  if (action === 'start') return 'starting';
  if (action === 'restart') return state === 'offline' ? 'starting' : 'stopping';
  return state === 'offline' ? 'offline' : 'stopping';
}

/**
 * Throws SERVER_SUSPENDED, SERVER_LOCKED (also for another power action), INSTALL_FAILED, ALREADY_RUNNING,
 * ALREADY_OFFLINE. `metadata.state`: the shown status.
 */
export function checkPowerAction(server: GameServer, action: PowerAction, now: Date): void {
  checkUnlocked(server);
  const isStart = action === 'start' || action === 'restart';
  const shown = statusOf(server);
  if (isStart && server.install.state !== 'installed') {
    throw fail('INSTALL_FAILED', 'the installation of this server failed', { state: shown });
  }
  const { lease, state } = server.power;
  // The more precise reason.
  if (powerTransitions[state][action] === 'already_running') {
    throw fail('ALREADY_RUNNING', 'the server runs already', { state: shown });
  }
  const mayTakeLease = action === 'kill' || (action === 'stop' && lease?.isWaiting === true);
  if (lease && isPowerLeased(server.power, now) && !mayTakeLease) {
    throw fail('SERVER_LOCKED', 'another power action is in progress', { action: lease.action });
  }
  switch (powerTransitions[state][action]) {
    case 'already_offline':
      throw fail('ALREADY_OFFLINE', 'the server does not run', { state: shown });
    case 'locked':
      throw fail('SERVER_LOCKED', 'the server is stopping', { state: shown });
    case 'accept':
  }
}

/** Throws SERVER_LOCKED during an operation, else SERVER_SUSPENDED. */
export function checkUnlocked(server: Pick<GameServer, 'operation' | 'suspended'>): void {
  const { operation } = server;
  if (operation) throw fail('SERVER_LOCKED', `the server is ${operation.kind}`, { operation: operation.kind });
  if (server.suspended) throw fail('SERVER_SUSPENDED', 'the server is suspended');
}

/** Expired: the worker is dead. */
export function isPowerLeased({ lease }: Pick<GameServer['power'], 'lease'>, now: Date): boolean {
  return lease !== null && lease.expiresAt > now;
}

/** Throws SERVER_LOCKED, SERVER_SUSPENDED. */
export function checkReinstall(server: GameServer, now: Date): void {
  checkUnlocked(server);
  const { lease } = server.power;
  if (lease && isPowerLeased(server.power, now))
    throw fail('SERVER_LOCKED', 'a power action is in progress', { action: lease.action });
}

/** Throws SERVER_LOCKED, SERVER_SUSPENDED, SERVER_RUNNING. */
export function checkRestorable(server: GameServer): void {
  checkUnlocked(server);
  const { state, desired } = server.power;
  if (state !== 'offline' || desired !== 'offline') {
    throw fail('SERVER_RUNNING', 'the server has to be stopped before a backup is restored', {
      state: statusOf(server),
    });
  }
  if (server.backup) throw fail('SERVER_LOCKED', 'a backup of the server is being made', { operation: 'backing_up' });
}
