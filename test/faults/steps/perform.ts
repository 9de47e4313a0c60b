import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '../client.js';
import type { Step } from '../plan.js';
import { endSession, share, useKey } from './access.js';
import { backUp, deleteBackup, restore } from './backups.js';
import { deleteFile, renameFile, writeFile } from './files.js';
import { command, createServer, deleteServer, power, runSchedule } from './games.js';
import { buy, grantCredits } from './shop.js';

const steps: Readonly<Record<Step['kind'], (client: Client, step: Step) => Promise<void>>> = {
  'write file': writeFile,
  'rename file': renameFile,
  'delete file': deleteFile,
  'back up': backUp,
  restore,
  'delete backup': deleteBackup,
  command,
  power,
  'run schedule': runSchedule,
  'create server': createServer,
  'delete server': deleteServer,
  'use key': useKey,
  'end session': endSession,
  share,
  'grant credits': grantCredits,
  buy,
};

/** One after the other. */
export async function perform(client: Client, all: readonly Step[]): Promise<void> {
  for (const step of all) {
    await steps[step.kind](client, step);
    await wait(step.waitMs);
  }
}
