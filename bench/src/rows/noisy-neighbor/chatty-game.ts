import { createServers } from '../../installation/installation.js';
import { floodConsole, importShellGame, printedLine, readers } from './console-flood.js';
import type { Part } from './part.js';

const linesPerSecond = 10_000;
const pauses = 20;

/** A shell prints a batch of lines of 100 bytes, then sleeps. */
const startup = `echo ready; while :; do yes '${printedLine}' | head -n ${linesPerSecond / pauses}; sleep ${1 / pauses}; done`;

export const chattyGame: Part = {
  name: `a game of 10,000 lines/s, ${readers} readers`,
  prepare: async (scene) => {
    const eggId = await importShellGame(scene.installation, { name: 'Chatty', startup, image: '~busybox:stable' });
    const [id = ''] = await createServers(scene.installation, 1, { eggId, ownerId: scene.person.id });
    return floodConsole(scene, id);
  },
};
