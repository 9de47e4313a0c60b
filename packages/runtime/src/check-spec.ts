import { isIP, isIPv4 } from 'node:net';
import { posix } from 'node:path';
import { runtimeError } from './reasons.js';
import type { InstallSpec, InstanceLimits, InstanceSpec, Volume } from './runtime.js';

const serverIdPattern = /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/;
const environmentName = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/;
const threadsPattern = /^\d{1,4}(?:-\d{1,4})?(?:,\d{1,4}(?:-\d{1,4})?){0,99}$/;
const entrypointPattern = /^(?:\/|[A-Za-z0-9])[A-Za-z0-9._/-]{0,127}$/;
const maxEnvironmentBytes = 128 * 1024;
const maxStartupBytes = 64 * 1024;
const maxScriptBytes = 1024 * 1024;

function invalid(field: string, message: string) {
  return runtimeError('INVALID_SPEC', `${field}: ${message}`, { field });
}

/** Throws INVALID_SPEC: server ids become container, file and host names. */
export function checkServerId(serverId: string): void {
  if (!serverIdPattern.test(serverId)) throw invalid('serverId', 'not a server id');
}

function checkText(field: string, text: string, maxBytes: number): void {
  if (text.includes('\0')) throw invalid(field, 'holds a NUL character');
  if (Buffer.byteLength(text) > maxBytes) throw invalid(field, `is longer than ${maxBytes} bytes`);
}

function checkEnvironment(environment: Readonly<Record<string, string>>): void {
  let total = 0;
  for (const [name, value] of Object.entries(environment)) {
    if (!environmentName.test(name)) throw invalid('environment', 'a name does not match ^[A-Za-z_][A-Za-z0-9_]*$');
    checkText(`environment.${name}`, value, maxEnvironmentBytes);
    total += name.length + Buffer.byteLength(value) + 2;
  }
  if (total > maxEnvironmentBytes) throw invalid('environment', `is larger than ${maxEnvironmentBytes} bytes`);
}

function checkVolume(volume: Volume, allowRoot: boolean): void {
  const { path } = volume;
  const isPlain = posix.isAbsolute(path) && posix.normalize(path) === path && !path.includes('\0');
  const depth = path.split('/').filter(Boolean).length;
  if (!isPlain || depth < 2) throw invalid('volume.path', 'not a normalized absolute path at least two levels deep');
  for (const [field, id] of [['volume.uid', volume.uid] as const, ['volume.gid', volume.gid] as const]) {
    if (!Number.isInteger(id) || id < 0 || id > 2 ** 31) throw invalid(field, 'not a user id');
    if (id === 0 && !allowRoot) throw invalid(field, 'a game never runs as root');
  }
}

function checkLimits(limits: InstanceLimits): void {
  const whole = (field: 'memoryMb' | 'swapMb' | 'cpuPercent' | 'ioWeight', min: number) => {
    const value = limits[field];
    if (!Number.isSafeInteger(value) || value < min || value > 2 ** 31)
      throw invalid(`limits.${field}`, 'out of range');
  };
  whole('memoryMb', 0);
  whole('swapMb', -1);
  whole('cpuPercent', 0);
  whole('ioWeight', 10);
  if (limits.ioWeight > 1000) throw invalid('limits.ioWeight', 'out of range');
  if (limits.threads !== undefined && !threadsPattern.test(limits.threads))
    throw invalid('limits.threads', 'not a list of processors');
}

function checkPorts(ports: InstanceSpec['ports']): void {
  for (const { ip, port } of ports) {
    if (isIP(ip) === 0) throw invalid('ports.ip', 'not an IP address');
    if (!Number.isInteger(port) || port < 1 || port > 65535) throw invalid('ports.port', 'not a port');
  }
}

/** Throws INVALID_SPEC. */
export function checkInstanceSpec(spec: InstanceSpec, options: { allowRoot: boolean }): void {
  checkServerId(spec.serverId);
  if (!Number.isSafeInteger(spec.generation) || spec.generation < 0) throw invalid('generation', 'not a number');
  checkText('startup', spec.startup, maxStartupBytes);
  checkEnvironment(spec.environment);
  checkVolume(spec.volume, options.allowRoot);
  checkLimits(spec.limits);
  checkPorts(spec.ports);
  if (spec.outgoingIp !== undefined && !isIPv4(spec.outgoingIp)) throw invalid('outgoingIp', 'not an IPv4 address');
}

/** Throws INVALID_SPEC. */
export function checkInstallSpec(spec: InstallSpec, options: { allowRoot: boolean }): void {
  checkServerId(spec.serverId);
  if (!entrypointPattern.test(spec.entrypoint)) throw invalid('entrypoint', 'not the name of an interpreter');
  checkText('script', spec.script, maxScriptBytes);
  checkEnvironment(spec.environment);
  checkVolume(spec.volume, options.allowRoot);
  checkLimits(spec.limits);
  if (!(spec.timeoutMs > 0)) throw invalid('timeoutMs', 'not a duration');
}

/** Throws INVALID_SPEC. */
export function checkNewLimits(limits: InstanceLimits): void {
  checkLimits(limits);
}
