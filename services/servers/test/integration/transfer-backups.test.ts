import { AppError } from '@panel/kit/errors';
import { Server_Status, TransferResult_Outcome } from '@panel/protos/servers';
import { expect } from 'chai';
import { createTwoNodes, type TwoNodes } from '../support/two-nodes.js';

describe('backups of a transfer', function () {
  this.timeout(180_000);
  let nodes: TwoNodes;
  before(async () => (nodes = await createTwoNodes()));
  after(async () => nodes.stop());

  it('copies backups to the target before the game stops, in as many calls as that takes', async () => {
    const { id } = await nodes.running();
    await nodes.transfer(id);
    await nodes.settledOn(nodes.b, id);
    expect(nodes.b.files.backups.receives.filter((serverId) => serverId === id)).to.have.length(2);
    expect(nodes.a.files.backups.receives).not.to.include(id);
  });

  it('fails when a backup is damaged, and leaves the game running where it is', async () => {
    const { id } = await nodes.running();
    const { backups } = nodes.b.files;
    backups.receiveFailure = new AppError('failed_precondition', 'BACKUP_DAMAGED', 'the backup "old" is damaged');
    await nodes.transfer(id);
    const after = await nodes.settledOn(nodes.a, id);
    backups.receiveFailure = null;
    expect(after.lastTransfer).to.deep.include({
      outcome: TransferResult_Outcome.FAILED,
      error: 'the backup "old" is damaged (backup_damaged)',
    });
    expect(after.status).to.equal(Server_Status.RUNNING);
  });
});
