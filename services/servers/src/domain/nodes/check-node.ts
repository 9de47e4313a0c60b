import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { posix } from 'node:path';
import { type FieldMessages, fieldProblem, type FieldProblem, requireValid } from '@panel/kit/errors';
import { isPlainText } from '@panel/kit/text';
import type { Engine, NodeFields } from './node.js';

const namePattern = /^[\p{L}\p{N}][\p{L}\p{N} ._()-]{0,99}$/u;
const tagPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,62}$/;
const hostPattern =
  /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;
/** Other gRPC schemes hide the host from the check. */
const targetPattern = /^(?:dns:\/\/\/)?(?:[A-Za-z0-9._-]{1,253}|\[[0-9a-fA-F:.]+(?:%[A-Za-z0-9]+)?\]):\d{1,5}$/;
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Operating system, architecture, variant of images. */
const platformPattern = /^[a-z0-9]{1,20}\/[a-z0-9_]{1,20}(?:\/[a-z0-9]{1,10})?$/;
const maxMb = 2 ** 31 - 1;

export interface NodePolicy {
  readonly allowsProcessNodes: boolean;
  readonly isAllowedAddress: (ip: string) => boolean;
}

/**
 * Checks addresses as written; each connection checks the resolved ones. Throws INVALID_FIELDS naming every REST field.
 */
export function checkNode(node: NodeFields, policy: NodePolicy): void {
  const fields: FieldMessages = {};
  const refuse = (isWrong: boolean, field: string, problem: FieldProblem) => {
    if (isWrong) (fields[field] ??= []).push(problem);
  };
  const range = (field: string, value: number, min: number, max: number) =>
    refuse(
      !Number.isSafeInteger(value) || value < min || value > max,
      field,
      `must be a whole number from ${min} to ${max}`,
    );
  refuse(!namePattern.test(node.name), 'name', 'must have 1 to 100 letters, digits, blanks and . _ - ( )');
  refuse(
    node.description.length > 1000 || !isPlainText(node.description),
    'description',
    'must be text of at most 1000 characters',
  );
  refuse(!isHost(node.fqdn), 'fqdn', 'must be a host name or an IP address');
  refuse(
    node.tags.length > 50 || !node.tags.every((tag) => tagPattern.test(tag)),
    'tags',
    'must be at most 50 short words',
  );
  refuse(node.filesAddress !== '' && !isTarget(node.filesAddress), 'files_address', 'must look like host:port');
  refuse(node.dataRoot !== '' && !isPlainPath(node.dataRoot), 'data_root', 'must be an absolute path');
  refuse(node.dataRootId !== '' && !uuidPattern.test(node.dataRootId), 'data_root_id', 'must be a UUID');
  range('memory', node.memoryMb, 1, maxMb);
  range('memory_overallocate', node.memoryOverallocatePercent, -1, 10_000);
  range('disk', node.diskMb, 1, maxMb);
  range('disk_overallocate', node.diskOverallocatePercent, -1, 10_000);
  range('cpu', node.cpuPercent, 0, 1_000_000);
  range('upload_limit_mb', node.uploadLimitMb, 1, 1_048_576);
  refuse(
    node.publicUrl !== '' && !isPublicUrl(node.publicUrl),
    'public_url',
    'must look like https://node1.example.com:2443, without a slash at the end',
  );
  const platforms = node.emulatedPlatforms ?? [];
  refuse(
    platforms.length > 20 || !platforms.every((platform) => platformPattern.test(platform)),
    'emulated_platforms',
    'must be at most 20 platforms like linux/arm64',
  );
  const isProcess = node.runtime === 'process';
  refuse(
    isProcess && !policy.allowsProcessNodes,
    'runtime',
    'process nodes are off in the configuration (PROCESS_NODES)',
  );
  const checkAddress = (field: string, host: string) =>
    refuse(isIP(host) !== 0 && !policy.isAllowedAddress(host), field, 'is an address of a kind that is not allowed');
  checkAddress('fqdn', node.fqdn);
  const files = splitTarget(node.filesAddress);
  checkAddress('files_address', files.host);
  refuse(node.filesAddress !== '' && !isPort(files.port), 'files_address', 'must have a port from 1 to 65535');
  checkEngine(node, refuse, checkAddress);
  requireValid(fields);
}

function isHost(text: string): boolean {
  return hostPattern.test(text) || isIP(text) !== 0;
}

/** URLs below it are secrets: http only for this machine. */
function isPublicUrl(text: string): boolean {
  if (text.length > 512 || !URL.canParse(text)) return false;
  const { protocol, hostname, pathname, origin } = new URL(text);
  if (text !== origin && text !== `${origin}${pathname.replace(/\/$/, '')}`) return false;
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\..*|\[::1\])$/.test(hostname));
}

function isPlainPath(path: string): boolean {
  return posix.isAbsolute(path) && posix.normalize(path) === path && !path.includes('\0') && path.length <= 512;
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

/** "host:port", "[ip]:port" or "dns:///host:port". */
export function isTarget(text: string): boolean {
  return targetPattern.test(text);
}

/** Accepts "host:port", "[ip]:port", "dns:///host:port", "tcp://host:port". */
export function splitTarget(target: string): { host: string; port: number } {
  const plain = target.replace(/^(?:dns:\/\/\/|tcp:\/\/)/, '');
  const colon = plain.lastIndexOf(':');
  return { host: plain.slice(0, Math.max(colon, 0)).replace(/^\[|\]$/g, ''), port: Number(plain.slice(colon + 1)) };
}

function checkEngine(
  node: NodeFields,
  refuse: (isWrong: boolean, field: string, problem: FieldProblem) => void,
  checkAddress: (field: string, host: string) => void,
): void {
  if (node.runtime === 'process') return;
  const { url, tlsCa, tlsCert, tlsKey } = node.engine;
  const isUnix = url.startsWith('unix://') && isPlainPath(url.slice('unix://'.length));
  const isTcp = /^tcp:\/\/(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]{1,253}):\d{1,5}$/.test(url);
  refuse(!isUnix && !isTcp, 'engine.url', 'must look like unix:///var/run/docker.sock or tcp://host:2376');
  if (isTcp) {
    const { host, port } = splitTarget(url);
    checkAddress('engine.url', host);
    refuse(!isPort(port), 'engine.url', 'must have a port from 1 to 65535');
  }
  const pems = [tlsCa, tlsCert, tlsKey];
  if (pems.every((pem) => pem === '')) return;
  const isWhole = pems.every((pem) => pem !== '');
  refuse(!isWhole, 'engine.tls', fieldProblem('conflicting', 'needs ca, cert and key together, each as PEM'));
  refuse(isUnix, 'engine.tls', fieldProblem('conflicting', 'is for engines at tcp:// addresses'));
  const isLong = pems.some((pem) => pem.length > 65_536);
  refuse(isLong, 'engine.tls', fieldProblem('too_long', 'must be at most 64 KiB each'));
  if (isWhole && !isLong) checkCertificates(node.engine, (message) => refuse(true, 'engine.tls', message));
}

/** Reports errors before the first connection. */
function checkCertificates({ tlsCa, tlsCert, tlsKey }: Engine, refuse: (message: string) => void): void {
  const certificate = certificateOf(tlsCert);
  const key = keyOf(tlsKey);
  if (!certificateOf(tlsCa)) refuse('has a ca that is not a certificate in PEM');
  if (!certificate) refuse('has a cert that is not a certificate in PEM');
  if (!key) refuse('has a key that is not a private key in PEM without a pass phrase');
  if (certificate && key && !certificate.checkPrivateKey(key)) refuse('has a key that does not belong to the cert');
}

function certificateOf(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null; // there is one reason: the text is no certificate
  }
}

function keyOf(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null; // there is one reason: the text is no key that opens
  }
}
