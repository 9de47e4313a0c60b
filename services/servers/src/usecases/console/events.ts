import { type Resources, type WatchEvent } from '@panel/protos/servers';
import { presentOperation, presentPowerState } from '../../present/server.js';
import type { Operation, PowerState } from '../../domain/servers/server.js';

/** Words of the panel itself in a console. They are no output of the game and have the number 0. */
export const noticePrefix = '[Panel] ';

export interface ConsoleLine {
  readonly sequence: number;
  readonly text: string;
  readonly at: Date;
}

export function lineEvent({ sequence, text, at }: ConsoleLine): WatchEvent {
  return { event: { $case: 'console', value: { sequence, text, time: at } } };
}

export function installEvent(text: string, step: string): WatchEvent {
  return { event: { $case: 'install', value: { text, step } } };
}

export function powerEvent(state: PowerState): WatchEvent {
  return { event: { $case: 'powerState', value: { state: presentPowerState(state) } } };
}

export function operationEvent(operation: Operation | null): WatchEvent {
  return { event: { $case: 'operation', value: { operation: presentOperation(operation) } } };
}

export function statsEvent(stats: Resources): WatchEvent {
  return { event: { $case: 'stats', value: stats } };
}
