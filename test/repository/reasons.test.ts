import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { readText, sources } from './files.js';
import { root } from './root.js';

/*
 * The reasons of errors, as services and gateway throw them, and `details.reason`, as the documentation lists it. What an
 * answer shows of an error is decided in @panel/rpc; which endpoint may show what is in gateway/src/openapi/reasons.
 */

interface Shown {
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
}

interface Thrown {
  readonly file: string;
  readonly kind: string;
  readonly reason: string;
}

/** No request waits for these: they end in the log, in `error` of an operation or backup, or in SFTP. */
const unanswered: Readonly<Record<string, readonly string[]>> = {
  'the end of a transfer': [
    'DATA_ROOT_CROSS_DEVICE',
    'FILES_CHANGED',
    'GAME_STILL_RUNS',
    'INSUFFICIENT_DISK',
    'RESERVATION_LOST',
    'SOURCE_INVALID',
    'TRANSFER_DISCARDED',
    'TRANSFER_IN_PROGRESS',
    'TRANSFER_UNSTABLE',
    'TREE_MISMATCH',
    'VOLUME_EXISTS',
    'VOLUME_THAWED',
  ],
  'the end of a backup': ['BACKUP_INTERRUPTED'],
  'the end of an installation or start': [
    'ADDRESS_NOT_ON_NODE',
    'IMAGE_WRONG_PLATFORM',
    'INSTALL_SCRIPT_FAILED',
    'INSTANCE_RUNNING',
    'PORT_OCCUPIED',
    'START_FAILED',
  ],
  'the run of a schedule': ['SERVER_RATE_LIMITED'],
  'an automatic payment': ['STORED_METHODS_NOT_SUPPORTED'],
  SFTP: ['DIRECTORY_NOT_EMPTY', 'SFTP_HANDLE_UNKNOWN'],
  'the start of a process': ['DATABASE_NEWER', 'FIRST_ADMIN_EXISTS', 'ROUTES_INCOMPLETE'],
  'a defect between two services': ['GRANT_INSUFFICIENT'],
};

const declaration = /defineReasons\(\{([\s\S]*?)\n\}\)/g;
const entry = /^ {2}([A-Z0-9_]+): '([a-z_]+)',$/gm;
const constructed = /new AppError\(\s*'([a-z_]+)',\s*'([A-Z0-9_]+)'/g;

const load = async (file: string) =>
  (await import(pathToFileURL(path.join(root, file)).href)) as Readonly<Record<string, unknown>>;

describe('reasons', () => {
  const files = sources().map((file) => [file, readText(file)] as const);
  const thrown = files.flatMap(([file, text]): Thrown[] => [
    ...[...text.matchAll(declaration)].flatMap(([, body = '']) =>
      [...body.matchAll(entry)].map(([, reason = '', kind = '']) => ({ file, kind, reason })),
    ),
    ...[...text.matchAll(constructed)].map(([, kind = '', reason = '']) => ({ file, kind, reason })),
  ]);
  let answerOf: (error: Thrown) => Shown;
  let all: Readonly<Record<string, { readonly status: number }>>;
  let listed: ReadonlySet<string>;
  let groups: Readonly<Record<string, object>>;

  before(async () => {
    const rpc = await load('packages/rpc/dist/src/index.js');
    const kit = await load('packages/kit/dist/src/errors/index.js');
    const reasons = await load('gateway/dist/src/openapi/reasons/index.js');
    const { routes, documentedRoutes } = await load('gateway/dist/src/routes/index.js');
    const toErrorResponse = rpc['toErrorResponse'] as (error: unknown) => Shown;
    const AppError = kit['AppError'] as new (kind: string, reason: string, message: string) => Error;
    const reasonsOf = reasons['reasonsOf'] as (route: unknown) => ReadonlyMap<number, readonly string[]>;
    answerOf = ({ kind, reason }) => toErrorResponse(new AppError(kind, reason, 'x'));
    all = reasons['allReasons'] as typeof all;
    groups = reasons['reasonGroups'] as typeof groups;
    const table = [...(routes as unknown[]), ...(documentedRoutes as unknown[])];
    listed = new Set(table.flatMap((route) => [...reasonsOf(route).values()].flat()));
    const known = new Set(
      (table as { method: string; path: string }[]).map(({ method, path: at }) => `${method} ${at}`),
    );
    const endpoints = Object.keys(reasons['endpointReasons'] as object);
    expect(endpoints.filter((endpoint) => !known.has(endpoint))).to.deep.equal([]);
  });

  it('finds every reason in the source', () => {
    expect(new Set(thrown.map(({ reason }) => reason)).size).to.be.greaterThan(200);
  });

  it('lists reasons that an answer shows for an endpoint, with their status', () => {
    const silent = new Set(Object.values(unanswered).flat());
    const problems = thrown.flatMap((error) => {
      const { status, details } = answerOf(error);
      const { reason } = details;
      if (typeof reason !== 'string' || silent.has(error.reason)) return [];
      if (!listed.has(reason)) return [`${error.file}: ${reason} is listed for no endpoint`];
      return all[reason]?.status === status ? [] : [`${error.file}: ${reason} is ${status}`];
    });
    expect(problems).to.deep.equal([]);
  });

  it('lists only reasons that are thrown somewhere', () => {
    const known = new Set(thrown.map((error) => answerOf(error).details['reason']));
    expect([...listed].filter((reason) => !known.has(reason))).to.deep.equal([]);
    expect(Object.keys(all).filter((reason) => !listed.has(reason))).to.deep.equal([]);
    const silent = Object.values(unanswered).flat();
    expect(silent.filter((reason) => listed.has(reason.toLowerCase()))).to.deep.equal([]);
  });

  it('lists each reason in one group', () => {
    const names = Object.values(groups).flatMap((group) => Object.keys(group));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
  });

  it('uses every reason that a service declares', () => {
    const used = new Set(
      files.flatMap(([, text]) => [...text.matchAll(/'([A-Z][A-Z0-9_]+)'/g)].map(([, name]) => name)),
    );
    const declared = thrown.filter(({ file }) => file.endsWith('reasons.ts'));
    expect(
      declared.filter(({ reason }) => !used.has(reason)).map(({ file, reason }) => `${file}: ${reason}`),
    ).to.deep.equal([]);
  });
});
