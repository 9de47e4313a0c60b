import { randomUUID } from 'node:crypto';
import type { Subuser } from '../../src/domain/subusers/subuser.js';
import type { GameServer } from '../../src/domain/servers/server.js';

/** `changes` replace fields. */
export function aServer(changes: Partial<GameServer> = {}): GameServer {
  const at = new Date('2026-01-01T00:00:00Z');
  return {
    id: '6f1c0f52-7d7e-4c56-9c39-6f0b0e0c7a11',
    uuidShort: '6f1c0f52',
    name: 'a game',
    description: '',
    userId: '11111111-1111-4111-8111-111111111111',
    externalId: null,
    nodeId: '22222222-2222-4222-8222-222222222222',
    allocationId: '33333333-3333-4333-8333-333333333333',
    nodeName: 'a node',
    nodeNameRevision: 1,
    allocations: [{ id: '33333333-3333-4333-8333-333333333333', ip: '127.0.0.1', alias: '', port: 25_565, notes: '' }],
    eggId: '44444444-4444-4444-8444-444444444444',
    egg: {
      name: 'Echo',
      features: [],
      dockerImages: [{ label: 'Shell', image: 'debian:bookworm' }],
      startup: 'run',
      startupCommands: [],
      config: { filesJson: '{}', startupDone: [], startupStripAnsi: false, logsJson: '{}', stop: 'stop' },
      script: { install: '', container: '', entrypoint: 'bash' },
      fileDenylist: [],
      forceOutgoingIp: false,
      variables: [],
    },
    dockerImage: 'debian:bookworm',
    startup: 'run',
    environment: {},
    limits: { memoryMb: 128, swapMb: 0, diskMb: 0, ioWeight: 500, cpuPercent: 0 },
    featureLimits: { databases: 0, backups: 0, allocations: 1 },
    databaseIds: [],
    subusers: [],
    subuserRoles: [],
    suspended: false,
    install: { state: 'installed', error: null, exitCode: 0, at },
    power: { state: 'offline', desired: 'offline', generation: 1, changedAt: at, lease: null },
    crash: { times: [], restartAt: null },
    operation: null,
    status: 'offline',
    createdAt: at,
    updatedAt: at,
    ...changes,
  };
}

export function withPower(state: GameServer['power']['state'], changes: Partial<GameServer['power']> = {}): GameServer {
  const server = aServer();
  return { ...server, status: state, power: { ...server.power, state, ...changes } };
}

export function anOperation(kind: NonNullable<GameServer['operation']>['kind']): NonNullable<GameServer['operation']> {
  return {
    id: '55555555-5555-4555-8555-555555555555',
    kind,
    step: 'waiting',
    progress: 0,
    startedAt: new Date(),
    leaseOwner: null,
    leaseExpiresAt: null,
    fence: 1,
    waits: 0,
    options: { skipScripts: false, startOnCompletion: false, force: false },
  };
}

export function aSubuser(userId: string): Subuser {
  const at = new Date();
  return {
    id: randomUUID(),
    userId,
    email: null,
    roleId: null,
    permissions: ['console.read'],
    pathRules: [],
    inheritedPathRules: [],
    expiresAt: null,
    endsAt: null,
    revision: 1,
    invitedBy: randomUUID(),
    createdAt: at,
    updatedAt: at,
  } as unknown as Subuser;
}
