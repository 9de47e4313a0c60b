import { randomUUID } from 'node:crypto';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { startTestFiles } from '../harness.js';

describe('what a killed process has left in a volume', () => {
  it('removes files of uploads and directories of extractions of a killed process at the next start', async () => {
    const volume = path.join('servers', randomUUID());
    const part = () => `.panel-${randomUUID()}.part`;
    const running = await startTestFiles({
      prepare: async (dataRoot) => {
        const [file, directory] = [path.join(dataRoot, volume, part()), path.join(dataRoot, volume, part())];
        await mkdir(path.join(directory, 'world', 'region'), { recursive: true });
        await writeFile(path.join(directory, 'world', 'region', 'r.0.0.mca'), 'half');
        await writeFile(file, 'half');
        await writeFile(path.join(dataRoot, volume, 'server.jar'), 'whole');
        for (const name of [file, directory]) await utimes(name, 1, 1);
        await writeFile(path.join(dataRoot, 'node.json'), JSON.stringify({ nodeId: randomUUID() }));
      },
    });
    const names = async () => readdir(path.join(running.dataRoot, volume));
    await waitUntil('the sweep', async () => (await names()).length === 1);
    expect(await names()).to.deep.equal(['server.jar']);
    await running.stop();
  });
});
