import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { reasonOf } from '@panel/kit/testing';
import { expect } from 'chai';
import { newVolume, type RunningFiles, startTestFiles } from '../harness.js';

describe('MeasureVolumes', () => {
  let node: RunningFiles;
  let other: RunningFiles;
  before(async () => {
    node = await startTestFiles();
    other = await startTestFiles({ mongoUrl: node.mongoUrl });
  });
  after(async () => {
    await other?.stop();
    await node?.stop();
  });

  const volumeWith = async (bytes: number) => {
    const { serverId, directory } = await newVolume(node);
    await writeFile(path.join(directory, 'world'), Buffer.alloc(bytes, 1));
    return serverId;
  };

  it('answers bytes on disk in the order of the request without volumes that are not there', async () => {
    const [large, small] = [await volumeWith(300_000), await volumeWith(30_000)];
    const { sizes } = await node.volumes.measureVolumes({ serverIds: [small, randomUUID(), large] });
    expect(sizes.map(({ serverId }) => serverId)).to.deep.equal([small, large]);
    const [ofSmall = 0, ofLarge = 0] = sizes.map(({ sizeBytes }) => sizeBytes);
    expect(ofSmall).to.be.within(30_000, 60_000);
    expect(ofLarge).to.be.within(300_000, 330_000);
    expect(ofLarge).to.equal((await node.volumes.getVolumeUsage({ serverId: large, fresh: true })).usedBytes);
  });

  it('keeps the recorded usage of a server on another node', async () => {
    const serverId = await volumeWith(300_000);
    await other.volumes.createVolume({ serverId });
    const { usedBytes } = await other.volumes.getVolumeUsage({ serverId });
    const { sizes } = await node.volumes.measureVolumes({ serverIds: [serverId] });
    expect(sizes[0]?.sizeBytes).to.be.above(usedBytes);
    await other.volumes.deleteVolume({ serverId });
    expect(await reasonOf(other.volumes.getVolumeUsage({ serverId, recorded: true }))).to.equal('VOLUME_NOT_FOUND');
  });

  it('refuses more than 1,000 ids', async () => {
    const serverIds = Array.from({ length: 1_001 }, () => randomUUID());
    expect(await reasonOf(node.volumes.measureVolumes({ serverIds }))).to.equal('INVALID_FIELDS');
  });
});
