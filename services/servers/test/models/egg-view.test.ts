import { expect } from 'chai';
import { EggViewReader, encodeEggView } from '../../src/models/servers/egg-view.js';
import { aServer } from '../support/server-fixture.js';

describe('what is shown of an egg', () => {
  const { egg } = aServer();

  it('is read as it was encoded, without scripts and configuration', () => {
    const view = new EggViewReader().read(encodeEggView(egg));
    expect(view).to.deep.equal({ name: egg.name, startupCommands: [], variables: egg.variables });
  });

  it('is parsed once for the same text and anew for another one', () => {
    const reader = new EggViewReader();
    const first = reader.read(encodeEggView(egg));
    expect(reader.read(encodeEggView({ ...egg }))).to.equal(first);
    expect(reader.read(encodeEggView({ ...egg, name: 'renamed' })).name).to.equal('renamed');
    expect(first.name).to.equal(egg.name);
  });

  it('is kept for at most five hundred texts', () => {
    const reader = new EggViewReader();
    const first = reader.read(encodeEggView(egg));
    for (let index = 0; index < 500; index++) reader.read(encodeEggView({ ...egg, name: `egg ${index}` }));
    expect(reader.read(encodeEggView(egg))).to.not.equal(first);
    expect(reader.read(encodeEggView(egg))).to.deep.equal(first);
  });
});
