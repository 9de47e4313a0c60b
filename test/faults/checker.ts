import type { Entry, Files, Kind } from './journal.js';
import type { State } from './state.js';

/** What happened and what is there. */
export interface Evidence {
  /** Of all rounds; those of `round` are the last. */
  readonly entries: readonly Entry[];
  readonly round: number;
  /** What the stores had at the begin of the round. */
  readonly before: Readonly<Record<string, Files>>;
  readonly state: State;
}

/** What does not hold, one sentence each; nothing of what cannot be known. */
export function findBroken(evidence: Evidence): string[] {
  return invariants.flatMap(([name, find]) => find(evidence).map((problem) => `${name}: ${problem}`));
}

/** What still has to come to rest by itself. */
export function findUnsettled({ state }: Pick<Evidence, 'state'>): string[] {
  const { servers, backups, ends, orders, services } = state;
  const resting = new Set(['offline', 'running', 'install_failed']);
  const waiting = new Set(['pending', 'provisioning']);
  return [
    ...servers
      .filter(({ status, operation }) => !resting.has(status) || operation !== null)
      .map(({ externalId, status, operation }) => `server ${externalId} is ${status} ${operation ?? ''}`),
    ...backups.filter(({ status }) => status === 'pending').map(({ id }) => `backup ${id} is pending`),
    ...Object.entries(ends)
      .filter(([, end]) => end === 'in_progress' || end === 'running')
      .map(([id, end]) => `${id} is ${end}`),
    ...orders.filter(({ status }) => status === 'paid').map(({ id }) => `order ${id} is paid, and not completed`),
    ...services.filter(({ status }) => waiting.has(status)).map(({ id, status }) => `service ${id} is ${status}`),
    ...wrongServices({ state }),
    ...orphans(state),
  ];
}

type Finder = (evidence: Evidence) => string[];

const invariants: readonly (readonly [string, Finder])[] = [
  ['answers', unexpectedAnswers],
  ['revocation', wrongAccess],
  ['once', notOnce],
  ['files', wrongFiles],
  ['console', wrongLines],
  ['games', wrongGames],
  ['backups', wrongBackups],
  ['ledger', wrongLedgers],
  ['sold', wrongServices],
  ['orphans', ({ state }) => orphans(state)],
];

/** Errors name an unavailable dependency, or another operation in progress. What is asked here is allowed and well formed. */
function unexpectedAnswers({ entries, round }: Evidence): string[] {
  const isExpected = (status: number, { fact }: Entry) =>
    [200, 409, 503].includes(status) ||
    (status === 404 && (fact.do === 'remove' || fact.do === 'delete')) ||
    (fact.do === 'use' && [401, 404].includes(status));
  return entries
    .filter((entry) => entry.round === round)
    .flatMap((entry) =>
      entry.attempts
        .filter(({ status }) => status !== null && !isExpected(status, entry))
        .map(({ status, reason }) => `${entry.client} ${entry.request} answered ${status} ${reason}`),
    );
}

/** At once and for ever. */
function wrongAccess({ entries, round, state }: Evidence): string[] {
  const used = entries
    .filter((entry) => entry.round === round)
    .flatMap(({ fact, outcome, request }) => {
      if (fact.do !== 'use') return [];
      if (!fact.isValid && outcome === 'done') return [`${request} let ${fact.credential} in after its end`];
      return fact.isValid && outcome === 'refused' ? [`${request} refused ${fact.credential} before its end`] : [];
    });
  const endedBy = (wanted: Entry['outcome']) =>
    new Set(
      entries.flatMap(({ fact, outcome }) => {
        if (outcome !== wanted) return [];
        if (fact.do === 'revoke') return [fact.credential];
        return fact.do === 'remove' && fact.kind === 'key' ? [fact.key] : [];
      }),
    );
  const [ended, uncertain] = [endedBy('done'), endedBy('unknown')];
  const now = Object.entries(state.access).flatMap(([credential, status]) => {
    if (ended.has(credential)) return status === 401 ? [] : [`${credential} has ended, and gets ${status}`];
    return status === 200 || uncertain.has(credential) ? [] : [`${credential} is valid, and gets ${status}`];
  });
  return [...used, ...now];
}

/** How often something may exist. */
interface Range {
  readonly min: number;
  readonly max: number;
}

const none: Range = { min: 0, max: 0 };

function after({ min, max }: Range, action: 'create' | 'remove', outcome: Entry['outcome']): Range {
  if (outcome === 'refused') return { min, max };
  if (outcome === 'unknown') return action === 'create' ? { min, max: 1 } : { min: 0, max };
  return action === 'create' ? { min: 1, max: 1 } : none;
}

/** Acknowledged creations are there, removals stay, and nothing is there twice. */
function notOnce({ entries, round, state }: Evidence): string[] {
  const ranges = new Map<string, Range>();
  const passing = new Set<Kind>(['grant']);
  for (const { fact, outcome, round: at } of entries) {
    if (fact.do !== 'create' && fact.do !== 'remove') continue;
    // Those of earlier rounds are in ledgers that are not read any more.
    if (passing.has(fact.kind) && at !== round) continue;
    const name = `${fact.kind} ${fact.key}`;
    ranges.set(name, after(ranges.get(name) ?? none, fact.do, outcome));
  }
  const counts = new Map<string, number>();
  for (const [kind, keys] of Object.entries(state.things))
    for (const key of keys) counts.set(`${kind} ${key}`, (counts.get(`${kind} ${key}`) ?? 0) + 1);
  const wrong = [...ranges].flatMap(([name, { min, max }]) => {
    const count = counts.get(name) ?? 0;
    return count >= min && count <= max ? [] : [`${name} exists ${count} times, not ${min} to ${max}`];
  });
  const twice = state.things.server.filter((key, at, all) => key !== '' && all.indexOf(key) !== at);
  return [...wrong, ...twice.map((key) => `server ${key} exists twice`)];
}

type Contents = ReadonlySet<string | null>;

/** What each path of a store may hold; null: nothing. */
function possibleFiles({ entries, round, before }: Evidence, server: string): Map<string, Contents> {
  const possible = new Map<string, Contents>(
    Object.entries(before[server] ?? {}).map(([path, sha256]) => [path, new Set([sha256])]),
  );
  const change = (path: string, sha256: string | null, outcome: Entry['outcome']) => {
    const earlier = outcome === 'unknown' ? (possible.get(path) ?? new Set([null])) : [];
    possible.set(path, new Set([...earlier, sha256]));
  };
  for (const { round: at, fact, outcome } of entries) {
    if (at !== round || outcome === 'refused' || !('server' in fact) || fact.server !== server) continue;
    if (fact.do === 'write') change(fact.path, fact.sha256, outcome);
    if (fact.do === 'delete') change(fact.path, null, outcome);
    if (fact.do === 'rename') {
      change(fact.path, null, outcome);
      change(fact.to, fact.sha256, outcome);
    }
    if (fact.do === 'restore')
      for (const path of new Set([...possible.keys(), ...Object.keys(fact.files)]))
        // Acknowledged is that it begins: a restore that fails changes nothing.
        change(path, fact.files[path] ?? null, 'unknown');
  }
  return possible;
}

/** Acknowledged contents are readable and whole; unknown ones are whole or absent. */
function wrongFiles(evidence: Evidence): string[] {
  const { entries, round, state } = evidence;
  const contents = Object.entries(state.files).flatMap(([server, files]) => {
    const possible = possibleFiles(evidence, server);
    return [...new Set([...possible.keys(), ...Object.keys(files)])]
      .filter((path) => !(possible.get(path) ?? new Set([null])).has(files[path] ?? null))
      .map((path) => `${path} of ${server} holds ${files[path] ?? 'nothing'}`);
  });
  // Nothing else of the store was changed after it: a client leaves alone what is unknown.
  const torn = entries.flatMap(({ round: at, fact, outcome }) => {
    if (at !== round || fact.do !== 'rename' || outcome !== 'unknown') return [];
    const files = state.files[fact.server] ?? {};
    const places = [fact.path, fact.to].filter((path) => files[path] === fact.sha256);
    return places.length === 1 ? [] : [`${fact.path} renamed to ${fact.to} is at ${places.length} places`];
  });
  return [...contents, ...torn];
}

/** A line arrives once when acknowledged, at most once when unknown. */
function wrongLines({ entries, round, state }: Evidence): string[] {
  const ofRound = entries.filter((entry) => entry.round === round);
  return ofRound.flatMap(({ fact, outcome }) => {
    if (fact.do !== 'command' && fact.do !== 'run') return [];
    const count = (state.said[fact.server] ?? '').split(fact.marker).length - 1;
    const isLast =
      ofRound.findLast((other) => other.fact.do === 'run' && other.fact.server === fact.server)?.fact === fact;
    const hasRun = fact.do === 'command' || (isLast && state.ends[fact.schedule] === 'succeeded');
    const min = outcome === 'done' && hasRun ? 1 : 0;
    const max = outcome === 'refused' ? 0 : 1;
    return count >= min && count <= max ? [] : [`${fact.marker} was said ${count} times, not ${min} to ${max}`];
  });
}

/** One process for a server that runs, none for any other; a completed action shows. */
function wrongGames({ entries, round, state }: Evidence): string[] {
  const { servers, games, ends } = state;
  const counts = servers.flatMap(({ id, externalId, status }) => {
    const count = games[id] ?? 0;
    return count === (status === 'running' ? 1 : 0) ? [] : [`${externalId} is ${status} with ${count} processes`];
  });
  const actions = servers.flatMap(({ id, externalId, status }) => {
    const isOfServer = ({ round: at, fact }: Entry) => at === round && fact.do === 'power' && fact.server === id;
    const last = entries.filter(isOfServer).findLast(({ outcome }) => outcome !== 'refused');
    if (last?.fact.do !== 'power' || last.outcome !== 'done' || ends[last.id] !== 'completed') return [];
    const wanted = last.fact.action === 'stop' ? 'offline' : 'running';
    return status === wanted ? [] : [`${externalId} is ${status} after its ${last.fact.action}`];
  });
  return [...counts, ...actions];
}

function wrongBackups({ state }: Evidence): string[] {
  return state.backups.filter(({ isWhole }) => !isWhole).map(({ id }) => `${id} is not what its checksum says`);
}

/** The balance is the sum of the entries, and every paid order is one of them. */
function wrongLedgers({ state }: Evidence): string[] {
  return state.ledgers.flatMap(({ user, balance, amounts, paid }) => {
    const sum = amounts.reduce((total, amount) => total + amount, 0);
    const spent = -amounts.filter((amount) => amount < 0).reduce((total, amount) => total + amount, 0);
    return [
      ...(sum === balance ? [] : [`${user} has ${balance}, and entries of ${sum}`]),
      ...(spent === paid ? [] : [`${user} has spent ${spent} on orders of ${paid}`]),
    ];
  });
}

/** What is sold has its server, and what has ended has none. */
function wrongServices({ state }: Pick<Evidence, 'state'>): string[] {
  const servers = new Map(state.servers.map(({ externalId, id }) => [externalId, id]));
  return state.services.flatMap(({ id, status, serverId }) => {
    const found = servers.get(id);
    if (status === 'active' && (found === undefined || found !== serverId))
      return [`service ${id} is active, and its server is ${found ?? 'gone'}`];
    return status === 'terminated' && found !== undefined ? [`service ${id} is terminated, and has a server`] : [];
  });
}

/** Nothing is left of what is gone, and nothing is missing of what is there. */
function orphans({ servers, games, volumes, assigned, reservations, orphans: reported, missing }: State): string[] {
  const known = new Set(servers.map(({ id }) => id));
  const isUnknown = (id: string) => !known.has(id);
  const held = new Set(servers.flatMap(({ allocations }) => allocations));
  return [
    ...reported.map((id) => `the node reports ${id} of no server`),
    ...missing.map((id) => `the files of ${id} are missing`),
    ...volumes.filter(isUnknown).map((id) => `the folder ${id} is of no server`),
    ...Object.keys(games)
      .filter(isUnknown)
      .map((id) => `a process of ${id} is of no server`),
    ...Object.entries(assigned)
      .filter(([id, server]) => isUnknown(server) || !held.has(id))
      .map(([id, server]) => `the allocation ${id} is of ${server}, which does not have it`),
    ...(reservations === servers.length
      ? []
      : [`${reservations} reservations are there for ${servers.length} servers`]),
  ];
}
