import { expect } from 'chai';
import { type Evidence, findBroken, findUnsettled } from './checker.js';
import type { Entry, Fact, Outcome } from './journal.js';
import type { State } from './state.js';

/** A made-up round in which everything holds. */
const game = { id: 'g', externalId: 'game', status: 'running', operation: null, allocations: ['a1'] };
const store = { id: 's', externalId: 'store', status: 'offline', operation: null, allocations: ['a2'] };
const sound: State = {
  servers: [game, store],
  games: { g: 1 },
  volumes: ['g', 's'],
  assigned: { a1: 'g', a2: 's' },
  reservations: 2,
  orphans: [],
  missing: [],
  things: {
    server: ['game', 'store', 'made'],
    key: ['kept'],
    subuser: [],
    backup: ['b'],
    grant: ['gift'],
    order: ['o'],
  },
  backups: [{ id: 'b', status: 'completed', isWhole: true }],
  files: { s: { '/old': 'A', '/new': 'B' } },
  said: { g: 'one\ntwo\n' },
  ends: { p: 'completed', schedule: 'succeeded' },
  access: { kept: 200, revoked: 401, session: 401 },
  ledgers: [{ user: 'u', balance: 701, amounts: [1_000, -299], paid: 299 }],
  orders: [{ id: 'o', status: 'completed' }],
  services: [{ id: 'made', status: 'active', serverId: 'm' }],
};
const made = { id: 'm', externalId: 'made', status: 'offline', operation: null, allocations: ['a3'] };
const whole: State = {
  ...sound,
  servers: [...sound.servers, made],
  volumes: [...sound.volumes, 'm'],
  assigned: { ...sound.assigned, a3: 'm' },
  reservations: 3,
};
const round = 2;

function entry(fact: Fact, outcome: Outcome = 'done', more: Partial<Entry> = {}): Entry {
  const status = { done: 200, refused: 409, unknown: null }[outcome];
  const attempts = [{ status, reason: '' }];
  return { round, client: 'c', request: 'POST /x', fact, startedAt: 0, endedAt: 1, attempts, outcome, id: '', ...more };
}

const use = (credential: string, isValid: boolean): Fact => ({ do: 'use', credential, isValid });
const on = { server: 's' };
const entries: readonly Entry[] = [
  entry({ do: 'create', kind: 'key', key: 'kept' }),
  entry({ do: 'create', kind: 'key', key: 'revoked' }),
  entry(use('revoked', true)),
  entry({ do: 'remove', kind: 'key', key: 'revoked' }),
  entry(use('revoked', false), 'refused', { attempts: [{ status: 401, reason: '' }] }),
  entry({ do: 'revoke', credential: 'session' }),
  entry({ do: 'create', kind: 'backup', key: 'b' }),
  entry({ do: 'create', kind: 'grant', key: 'gift' }),
  entry({ do: 'create', kind: 'order', key: 'o' }),
  entry({ do: 'create', kind: 'server', key: 'lost' }, 'unknown'),
  entry({ do: 'create', kind: 'server', key: 'gone' }, 'done', { round: 1 }),
  entry({ do: 'remove', kind: 'server', key: 'gone' }, 'done', { round: 1 }),
  entry({ do: 'write', ...on, path: '/new', sha256: 'B' }),
  entry({ do: 'command', server: 'g', marker: 'one' }),
  entry({ do: 'run', server: 'g', schedule: 'schedule', marker: 'two' }),
  entry({ do: 'power', server: 'g', action: 'start' }, 'done', { id: 'p' }),
];
const evidence: Evidence = { entries, round, before: { s: { '/old': 'A' } }, state: whole };

const withState = (state: Partial<State>): Evidence => ({ ...evidence, state: { ...whole, ...state } });
const withEntries = (...more: readonly Entry[]): Evidence => ({ ...evidence, entries: [...entries, ...more] });
const answered = (status: number, fact: Fact): Entry =>
  entry(fact, 'refused', { attempts: [{ status, reason: 'planted' }] });

describe('checker of random faults', () => {
  it('finds nothing in a round in which everything holds', () => {
    expect(findBroken(evidence)).to.deep.equal([]);
    expect(findUnsettled(evidence)).to.deep.equal([]);
  });

  const planted: Readonly<Record<string, readonly [Evidence, RegExp]>> = {
    'an answer of 500': [
      withEntries(entry({ do: 'read' }, 'unknown', { attempts: [{ status: 500, reason: 'internal_error' }] })),
      /^answers: .* 500 internal_error$/,
    ],
    'a signed-in user who is refused': [withEntries(answered(401, { do: 'read' })), /^answers: .* 401/],
    'a revoked key that is let in': [withEntries(entry(use('revoked', false))), /^revocation: .* in after its end$/],
    'a valid key that is refused': [withEntries(answered(401, use('kept', true))), /^revocation: .* before its end$/],
    'a revoked key that works later': [
      withState({ access: { ...whole.access, revoked: 200 } }),
      /^revocation: revoked has ended, and gets 200$/,
    ],
    'an ended session that works later': [
      withState({ access: { ...whole.access, session: 200 } }),
      /^revocation: session has ended/,
    ],
    'a valid key that does not work later': [
      withState({ access: { ...whole.access, kept: 401 } }),
      /^revocation: kept is valid, and gets 401$/,
    ],
    'an acknowledged grant that is lost': [
      withState({ things: { ...whole.things, grant: [] } }),
      /^once: grant gift exists 0 times/,
    ],
    'a grant that was made twice': [
      withState({ things: { ...whole.things, grant: ['gift', 'gift'] } }),
      /^once: grant gift exists 2 times/,
    ],
    'an unknown creation that was made twice': [
      withState({ things: { ...whole.things, server: ['lost', 'lost'] } }),
      /^once: server lost exists 2 times, not 0 to 1$/,
    ],
    'a server that came back': [
      withState({ things: { ...whole.things, server: ['gone'] } }),
      /^once: server gone exists 1 times, not 0 to 0$/,
    ],
    'a server made twice by the panel itself': [
      withState({ things: { ...whole.things, server: ['made', 'made'] } }),
      /^once: server made exists twice$/,
    ],
    'an acknowledged file that is lost': [
      withState({ files: { s: { '/old': 'A' } } }),
      /^files: \/new of s holds nothing/,
    ],
    'an acknowledged file with other contents': [
      withState({ files: { s: { '/old': 'A', '/new': 'half' } } }),
      /^files: \/new of s holds half$/,
    ],
    'an untouched file that changed': [
      withState({ files: { s: { '/old': 'half', '/new': 'B' } } }),
      /^files: \/old of s holds half$/,
    ],
    'a file that nobody wrote': [
      withState({ files: { s: { ...whole.files['s'], '/.part': 'half' } } }),
      /^files: \/\.part of s/,
    ],
    'a deleted file that came back': [
      withEntries(entry({ do: 'delete', ...on, path: '/old' })),
      /^files: \/old of s holds A/,
    ],
    'an unknown write of half a file': [
      {
        ...withEntries(entry({ do: 'write', ...on, path: '/old', sha256: 'C' }, 'unknown')),
        state: { ...whole, files: { s: { '/old': 'half', '/new': 'B' } } },
      },
      /^files: \/old of s holds half$/,
    ],
    'a restore of half a backup': [
      {
        ...withEntries(entry({ do: 'restore', ...on, files: { '/old': 'X' } })),
        state: { ...whole, files: { s: { '/old': 'Y' } } },
      },
      /^files: \/old of s holds Y$/,
    ],
    'a renamed file at both places': [
      {
        ...withEntries(entry({ do: 'rename', ...on, path: '/old', to: '/to', sha256: 'A' }, 'unknown')),
        state: { ...whole, files: { s: { '/old': 'A', '/to': 'A', '/new': 'B' } } },
      },
      /^files: \/old renamed to \/to is at 2 places$/,
    ],
    'an acknowledged line that is lost': [withState({ said: { g: 'two\n' } }), /^console: one was said 0 times/],
    'a line that arrived twice': [withState({ said: { g: 'one\none\ntwo\n' } }), /^console: one was said 2 times/],
    'a run that was executed twice': [withState({ said: { g: 'one\ntwo\ntwo\n' } }), /^console: two was said 2 times/],
    'a run that succeeded without effect': [withState({ said: { g: 'one\n' } }), /^console: two was said 0 times/],
    'a game that runs twice': [withState({ games: { g: 2 } }), /^games: game is running with 2 processes$/],
    'a game that does not run': [withState({ games: {} }), /^games: game is running with 0 processes$/],
    'a process of a stopped server': [
      withState({ games: { g: 1, s: 1 } }),
      /^games: store is offline with 1 processes$/,
    ],
    'a completed start that shows in nothing': [
      withState({ servers: [{ ...game, status: 'offline' }, store, made], games: {} }),
      /^games: game is offline after its start$/,
    ],
    'a completed backup that is damaged': [
      withState({ backups: [{ id: 'b', status: 'completed', isWhole: false }] }),
      /^backups: b is not what its checksum says$/,
    ],
    'a balance that is not its entries': [
      withState({ ledgers: [{ user: 'u', balance: 1_000, amounts: [1_000, -299], paid: 299 }] }),
      /^ledger: u has 1000, and entries of 701$/,
    ],
    'an order that was paid twice': [
      withState({ ledgers: [{ user: 'u', balance: 402, amounts: [1_000, -299, -299], paid: 299 }] }),
      /^ledger: u has spent 598 on orders of 299$/,
    ],
    'a service without its server': [
      withState({ services: [{ id: 'other', status: 'active', serverId: 'm' }] }),
      /^sold: service other is active, and its server is gone$/,
    ],
    'a server of a service that has ended': [
      withState({ services: [{ id: 'made', status: 'terminated', serverId: 'm' }] }),
      /^sold: service made is terminated, and has a server$/,
    ],
    'a folder of no server': [withState({ volumes: ['g', 's', 'm', 'x'] }), /^orphans: the folder x is of no server$/],
    'a process of no server': [withState({ games: { g: 1, x: 1 } }), /^orphans: a process of x is of no server$/],
    'an allocation of no server': [
      withState({ assigned: { ...whole.assigned, a4: 'x' } }),
      /^orphans: the allocation a4 is of x/,
    ],
    'a reservation of no server': [withState({ reservations: 4 }), /^orphans: 4 reservations are there for 3 servers$/],
    'what the node reports': [withState({ orphans: ['x'] }), /^orphans: the node reports x of no server$/],
    'files that are missing': [withState({ missing: ['s'] }), /^orphans: the files of s are missing$/],
  };
  for (const [what, [broken, expected]] of Object.entries(planted)) {
    it(`finds ${what}`, () => {
      const found = findBroken(broken);
      expect(found.length, found.join('; ')).to.be.within(1, 2);
      expect(found.join('\n')).to.match(new RegExp(expected.source, 'm'));
    });
  }

  const unsettled: Readonly<Record<string, readonly [Partial<State>, RegExp]>> = {
    'an order that stays paid': [{ orders: [{ id: 'o', status: 'paid' }] }, /^order o is paid, and not completed$/],
    'a service that stays in provisioning': [
      { services: [{ id: 'made', status: 'provisioning', serverId: null }] },
      /^service made is provisioning$/,
    ],
    'a server that stays in installation': [
      { servers: [game, store, { ...made, status: 'installing', operation: 'installing' }] },
      /^server made is installing installing$/,
    ],
    'a backup that stays pending': [
      { backups: [{ id: 'b', status: 'pending', isWhole: true }] },
      /^backup b is pending$/,
    ],
    'a power action that stays in progress': [{ ends: { p: 'in_progress' } }, /^p is in_progress$/],
  };
  for (const [what, [state, expected]] of Object.entries(unsettled)) {
    it(`finds ${what}`, () => {
      const found = findUnsettled(withState(state));
      expect(found).to.have.length(1);
      expect(found[0]).to.match(expected);
    });
  }

  it('accepts either outcome of what is unknown', () => {
    const write = entry({ do: 'write', ...on, path: '/old', sha256: 'C' }, 'unknown');
    const command = entry({ do: 'command', server: 'g', marker: 'three' }, 'unknown');
    for (const contents of ['A', 'C'])
      for (const said of ['one\ntwo\n', 'one\ntwo\nthree\n']) {
        const state = { ...whole, files: { s: { '/old': contents, '/new': 'B' } }, said: { g: said } };
        expect(findBroken({ ...withEntries(write, command), state })).to.deep.equal([]);
      }
  });
});
