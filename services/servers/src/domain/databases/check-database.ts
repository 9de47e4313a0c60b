import { isIP } from 'node:net';
import { type FieldMessages, fieldProblem, type FieldProblem, requireValid } from '@panel/kit/errors';
import { isOneLine } from '@panel/kit/text';
import type { DatabaseHostFields, EngineKind } from './database.js';

const givenPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,47}$/;
const reservedNames = new Set([
  'mysql',
  'sys',
  'information_schema',
  'performance_schema',
  'postgres',
  'template0',
  'template1',
]);
/** Like 10.0.0.%. */
const wildcardAddress = /^(?:\d{1,3}\.){1,3}%$/;
const hostName = /^(?=.{1,60}$)(?:%\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const namePattern = /^[\p{L}\p{N}][\p{L}\p{N} ._()-]{0,99}$/u;
const addressPattern =
  /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;
const usernamePattern = /^[A-Za-z0-9_][A-Za-z0-9_.@-]{0,62}$/;
const maxRows = 10_000;

export function givenNameProblems(name: string): FieldMessages {
  if (!givenPattern.test(name)) {
    const message = 'must have 1 to 48 letters, digits, _ and -, and begin with a letter or digit';
    return { name: [message] };
  }
  if (!reservedNames.has(name.toLowerCase())) return {};
  return { name: [fieldProblem('not_allowed', 'is a name of the engine itself')] };
}

/** Also for the engine's limits. */
export function remoteProblems(remote: string, engine: EngineKind): FieldMessages {
  if (!isRemote(remote)) {
    const message =
      'must be %, an IP address, one like 10.0.0.%, a network like 10.0.0.0/255.255.255.0, or a host name';
    return { remote: [message] };
  }
  if (engine === 'postgresql' && remote !== '%') {
    const message =
      'must be % on PostgreSQL, which restricts addresses for the whole host (pg_hba.conf) and not for one user';
    return { remote: [fieldProblem('not_allowed', message)] };
  }
  return {};
}

function isRemote(remote: string): boolean {
  if (remote.length > 60) return false;
  if (remote === '%' || isIP(remote) !== 0) return true;
  if (wildcardAddress.test(remote)) return parts(remote.slice(0, -2)).every((part) => part <= 255);
  const [address = '', mask = '', ...more] = remote.split('/');
  if (mask !== '') return more.length === 0 && isIP(address) === 4 && isMask(mask);
  // Digits and dots alone are an invalid address.
  return hostName.test(remote) && !/^[\d.]+$/.test(remote);
}

function parts(text: string): number[] {
  return text.split('.').map(Number);
}

/** MySQL notation: address/mask. */
function isMask(mask: string): boolean {
  if (isIP(mask) !== 4) return false;
  const bits = parts(mask)
    .map((part) => part.toString(2).padStart(8, '0'))
    .join('');
  return /^1+0*$/.test(bits);
}

export function databaseName(uuidShort: string, given: string): string {
  return `s${uuidShort}_${given}`;
}

export function userName(uuidShort: string, random: string): string {
  return `u${uuidShort}_${random}`;
}

export function isPanelDatabase(name: string): boolean {
  return /^s[0-9a-f]{8}_/.test(name);
}

export function isPanelUser(name: string): boolean {
  return /^u[0-9a-f]{8}_[a-z0-9]{10}$/.test(name);
}

/** Throws INVALID_FIELDS naming every REST field. */
export function checkHost(host: DatabaseHostFields, isAllowedAddress: (ip: string) => boolean): void {
  const fields: FieldMessages = {};
  const refuse = (isWrong: boolean, field: string, problem: FieldProblem) => {
    if (isWrong) (fields[field] ??= []).push(problem);
  };
  const isWhole = (value: number, min: number, max: number) =>
    Number.isSafeInteger(value) && value >= min && value <= max;
  refuse(!namePattern.test(host.name), 'name', 'must have 1 to 100 letters, digits, blanks and . _ - ( )');
  const isAddress = addressPattern.test(host.address) || isIP(host.address) !== 0;
  refuse(!isAddress, 'host', 'must be a host name or an IP address');
  const isForbidden = isIP(host.address) !== 0 && !isAllowedAddress(host.address);
  refuse(isForbidden, 'host', 'is an address of a kind that is not allowed');
  refuse(!isWhole(host.port, 1, 65_535), 'port', fieldProblem('out_of_range', 'must be from 1 to 65535'));
  refuse(!usernamePattern.test(host.username), 'username', 'must have 1 to 63 letters, digits and _ . @ -');
  refuse(host.password === '' || host.password.length > 256, 'password', 'must have 1 to 256 characters');
  refuse(!isOneLine(host.password), 'password', 'must be one line');
  const { maxDatabases } = host;
  const isMaximum = maxDatabases === null || isWhole(maxDatabases, 0, maxRows);
  refuse(!isMaximum, 'max_databases', fieldProblem('out_of_range', `must be from 0 to ${maxRows}, or null`));
  refuse(
    !isWhole(host.maxConnections, 0, 100_000),
    'max_connections',
    fieldProblem('out_of_range', 'must be from 0 to 100000'),
  );
  refuse(host.nodeIds.length > 1000, 'node_ids', fieldProblem('too_long', 'must be at most 1000'));
  requireValid(fields);
}
