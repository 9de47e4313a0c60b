import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import Docker from 'dockerode';
import { containersBelow, removeContainersBelow } from '@panel/testing/engine';

const nothing = Buffer.alloc(1_024);

describe('containers below a directory', function () {
  this.timeout(180_000);
  const docker = new Docker();
  const image = `panel-test/empty:${randomUUID()}`;
  const made: Docker.Container[] = [];
  let directory = '';

  before(async function () {
    const answers = await docker.ping().then(
      () => true,
      () => false,
    );
    if (!answers && process.env.CI) throw new Error('CI needs a container engine');
    if (!answers) this.skip();
    directory = mkdtempSync(path.join(tmpdir(), 'panel-containers-'));
    const [repo, tag] = image.split(':');
    const answer = await docker.importImage(Readable.from([nothing]), { repo, tag });
    await new Promise((resolve) => docker.modem.followProgress(answer, resolve));
  });
  afterEach(async () => {
    for (const container of made.splice(0)) await container.remove({ force: true }).catch(ignoreGone);
  });
  after(async () => {
    if (directory === '') return;
    await docker.getImage(image).remove();
    rmSync(directory, { recursive: true });
  });

  async function mounting(source: string): Promise<string> {
    mkdirSync(source, { recursive: true });
    const HostConfig = { Binds: [`${source}:/data`] };
    const container: Docker.Container = await docker.createContainer({ Image: image, Cmd: ['none'], HostConfig });
    made.push(container);
    return container.id;
  }

  it('finds and removes the containers below a directory without affecting others', async () => {
    const inside = await mounting(path.join(directory, 'run', 'servers', 'one'));
    const beside = await mounting(path.join(directory, 'running'));
    const root = path.join(directory, 'run');
    expect((await containersBelow(root)).map(({ Id }) => Id)).to.deep.equal([inside]);
    await removeContainersBelow(root);
    expect(await containersBelow(directory).then((left) => left.map(({ Id }) => Id))).to.deep.equal([beside]);
  });

  it('finds no containers without an engine', async () => {
    const nobody = new Docker({ socketPath: path.join(directory, 'none.sock') });
    expect(await containersBelow(directory, nobody)).to.deep.equal([]);
  });
});

function ignoreGone(error: unknown): void {
  if ((error as { statusCode?: number }).statusCode !== 404) throw error;
}
