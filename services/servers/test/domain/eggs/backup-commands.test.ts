import { expect } from 'chai';
import { writeEggFile } from '../../../src/domain/eggs/write-egg-file.js';
import { readEggFile } from '../../../src/domain/eggs/import/read-egg-file.js';
import { backupCommandsOf } from '../../../src/domain/eggs/backup-commands.js';
import { eggBytes } from './egg-file.js';

describe('commands around a backup', () => {
  it('reads the commands around a backup from the features of an egg, in their order', () => {
    const features = [
      'eula',
      'backup_before:save-off',
      'backup_before: save-all flush',
      'backup_ready:Saved the game',
      'backup_after:save-on',
    ];
    expect(backupCommandsOf(features)).to.deep.equal({
      before: ['save-off', 'save-all flush'],
      ready: 'Saved the game',
      after: ['save-on'],
    });
  });

  it('keeps the commands around a backup in an export and an import', () => {
    const features = ['backup_before:save-off', 'backup_ready:Saved the game', 'backup_after:save-on'];
    const { spec } = readEggFile(eggBytes({ features }), 'json');
    const again = readEggFile(Buffer.from(writeEggFile(spec, new Date(0))), 'json');
    expect(backupCommandsOf(again.spec.features)?.ready).to.equal('Saved the game');
    expect(again.spec.features).to.deep.equal(features);
  });

  it('returns no commands around a backup for an egg without them', () => {
    expect(backupCommandsOf([])).to.equal(null);
    expect(backupCommandsOf(['eula', 'backup_ready:Saved', 'backup_after: '])).to.equal(null);
  });

  it('accepts a command around a backup that is not waited for', () => {
    expect(backupCommandsOf(['backup_before:save'])).to.deep.equal({ before: ['save'], ready: null, after: [] });
  });
});
