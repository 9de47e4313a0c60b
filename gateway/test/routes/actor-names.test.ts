import { AppError } from '@panel/kit/errors';
import { ActivityEvent } from '@panel/protos/admin';
import { User } from '@panel/protos/identity';
import type { CallOptions } from '@panel/rpc';
import { expect } from 'chai';
import { readActorNames } from '../../src/routes/activity/actor-names.js';
import { presentActivity } from '../../src/routes/activity/resource.js';

const call: CallOptions = { actorToken: 'of the gateway' };
const by = (actorId: string) => ActivityEvent.fromPartial({ id: 'event', actorId });

describe('names of actors in the activity', () => {
  it('asks for each user of a page once, and for nobody when the panel acted', async () => {
    const asked: string[][] = [];
    const batchGetUsers = async ({ userIds = [] }: { userIds?: string[] }) => {
      asked.push(userIds);
      return { users: [User.fromPartial({ id: 'alice', username: 'alice-name' })] };
    };
    const services = { users: { batchGetUsers } } as never;
    const events = [by('alice'), by('deleted'), by('alice'), by('')];
    const names = await readActorNames(services, events, call);
    expect(asked).to.deep.equal([['alice', 'deleted']]);
    const shown = events.map((event) => presentActivity(event, names).actor_username);
    expect(shown).to.deep.equal(['alice-name', null, 'alice-name', null]);
    await readActorNames(services, [by('')], call);
    expect(asked).to.have.length(1);
  });

  it('lists the activity without names while identity is unavailable', async () => {
    const batchGetUsers = async () => {
      throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'identity is unavailable');
    };
    const names = await readActorNames({ users: { batchGetUsers } } as never, [by('alice')], call);
    expect(presentActivity(by('alice'), names)).to.include({ actor_id: 'alice', actor_username: null });
  });
});
