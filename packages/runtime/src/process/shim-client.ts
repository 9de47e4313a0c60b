import { closeSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import type { GameFiles } from './game-files.js';
import type { ShimAnswer, ShimRequest } from './shim-server.js';

/** The shim is gone or does not answer in time. */
export class ShimTimeout extends Error {
  constructor(readonly timedOut: boolean) {
    super(timedOut ? 'the shim does not answer' : 'the shim is gone');
  }
}

/** Returns the answer's error. Throws ShimTimeout. */
export async function askShim(files: GameFiles, request: ShimRequest, timeoutMs: number): Promise<string | null> {
  const directory = openDirectory(files.gamesDirectory);
  try {
    // Through the descriptor, because the path may exceed a socket path's limit.
    return await ask(`/proc/self/fd/${directory}/${files.socketName}`, request, timeoutMs);
  } finally {
    closeSync(directory);
  }
}

function openDirectory(path: string): number {
  try {
    return openSync(path, 'r');
  } catch {
    throw new ShimTimeout(false);
  }
}

async function ask(path: string, request: ShimRequest, timeoutMs: number): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const fail = (timedOut: boolean) => {
      socket.destroy();
      reject(new ShimTimeout(timedOut));
    };
    const timer = setTimeout(() => fail(true), timeoutMs);
    let text = '';
    socket.setEncoding('utf8');
    socket.once('close', () => {
      clearTimeout(timer);
      reject(new ShimTimeout(false));
    });
    socket.once('error', () => fail(false));
    socket.on('data', (part: string) => {
      text += part;
      const end = text.indexOf('\n');
      if (end < 0) return;
      resolve((JSON.parse(text.slice(0, end)) as ShimAnswer).error);
      socket.destroy();
    });
    socket.write(`${JSON.stringify(request)}\n`);
  });
}
