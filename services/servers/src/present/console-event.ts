import { assertNever } from '@panel/kit/errors';
import { enumOf } from '@panel/kit/records';
import {
  PowerState,
  type Resources as ResourcesMessage,
  WatchEnded_Reason,
  type WatchEvent,
} from '@panel/protos/servers';
import type { ConsoleEvent, EndReason, Resources } from '../console/console-events.js';
import { presentOperation } from './server.js';

const endReasons: Readonly<Record<EndReason, WatchEnded_Reason>> = {
  too_slow: WatchEnded_Reason.TOO_SLOW,
  deleted: WatchEnded_Reason.DELETED,
  forbidden: WatchEnded_Reason.FORBIDDEN,
  restarting: WatchEnded_Reason.RESTARTING,
  suspended: WatchEnded_Reason.SUSPENDED,
};

export function presentConsoleEvent(event: ConsoleEvent): WatchEvent {
  return { event: presentEvent(event) };
}

function presentEvent(event: ConsoleEvent): WatchEvent['event'] {
  switch (event.kind) {
    case 'line': {
      const { sequence, text, at, isPartial, isRedrawn } = event.line;
      const marks = { ...(isPartial && { isPartial }), ...(isRedrawn && { isRedrawn }) };
      return { $case: 'console', value: { sequence, text, time: at, ...marks } };
    }
    case 'install':
      return { $case: 'install', value: { text: event.text, step: event.step } };
    case 'power':
      return { $case: 'powerState', value: { state: enumOf(PowerState, event.state) } };
    case 'operation':
      return { $case: 'operation', value: { operation: presentOperation(event.operation) } };
    case 'stats':
      return { $case: 'stats', value: presentResources(event.resources) };
    case 'feature': {
      const { feature, line, dockerImage, javaVersion } = event.notice;
      const value = event.isResolved
        ? { dockerImage: '', javaVersion: 0, isResolved: true }
        : { dockerImage: dockerImage ?? '', javaVersion: javaVersion ?? 0 };
      return { $case: 'feature', value: { feature, line, ...value } };
    }
    case 'history_end':
      return { $case: 'historyEnd', value: {} };
    case 'ended':
      return { $case: 'ended', value: { reason: endReasons[event.reason] } };
    default:
      return assertNever(event);
  }
}

export function presentResources({ state, suspended, stats, diskBytes, at }: Resources): ResourcesMessage {
  return {
    state: enumOf(PowerState, state),
    suspended,
    uptimeMs: stats?.uptimeMs ?? 0,
    // Hundredths, as `docker stats`.
    cpuPercent: Math.round((stats?.cpuPercent ?? 0) * 100) / 100,
    memoryBytes: stats?.memoryBytes ?? 0,
    memoryLimitBytes: stats?.memoryLimitBytes ?? 0,
    diskBytes,
    networkRxBytes: stats?.networkRxBytes ?? 0,
    networkTxBytes: stats?.networkTxBytes ?? 0,
    observeTime: at,
  };
}
