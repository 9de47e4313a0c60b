import { expect } from 'chai';
import { AppError, isAppError } from '@panel/kit/errors';
import { createOnce, derivedId } from '@panel/rpc';

const duplicate = (index: string) =>
  Object.assign(new Error(`E11000 duplicate key, index: ${index} dup`), { code: 11000 });

function newShelf() {
  const ids = new Map<string, { readonly id: string }>();
  return {
    ids,
    find: async (id: string) => ids.get(id) ?? null,
    create: async (id: string) => {
      await Promise.resolve();
      if (ids.has(id)) throw duplicate('_id_');
      const made = { id };
      ids.set(id, made);
      return made;
    },
  };
}

const id = '0a1b2c3d-0000-4000-8000-000000000001';

describe('createOnce', () => {
  it('creates a new object each time without an id', async () => {
    const shelf = newShelf();
    const made = [await createOnce(undefined, shelf), await createOnce(undefined, shelf)];
    expect(made.every(({ isNew }) => isNew)).to.equal(true);
    expect(shelf.ids.size).to.equal(2);
  });

  it('creates one object for 50 concurrent calls with one id and returns it to all', async () => {
    const shelf = newShelf();
    const made = await Promise.all(Array.from({ length: 50 }, async () => createOnce(id, shelf)));
    expect(shelf.ids.size).to.equal(1);
    expect(new Set(made.map(({ object }) => object)).size).to.equal(1);
    expect(made.filter(({ isNew }) => isNew)).to.have.length(1);
  });

  it('returns the object to a repetition that lost against a limit', async () => {
    const shelf = newShelf();
    const create = async (given: string) => {
      await shelf.create(given);
      throw new AppError('resource_exhausted', 'LIMIT', 'the twin took the last place');
    };
    expect(await createOnce(id, { ...shelf, create })).to.deep.equal({ object: { id }, isNew: false });
  });

  it('passes a refusal on when no object exists', async () => {
    const refused = new AppError('resource_exhausted', 'LIMIT', 'full');
    const create = async () => Promise.reject(refused);
    const error = await createOnce(id, { ...newShelf(), create }).catch((caught: unknown) => caught);
    expect(error).to.equal(refused);
  });

  it('reports an object that exists and cannot be returned', async () => {
    const create = async () => Promise.reject(duplicate('_id_'));
    const error = await createOnce(id, { ...newShelf(), create }).catch((caught: unknown) => caught);
    expect(isAppError(error, 'CREATION_DELETED')).to.equal(true);
  });
});

describe('derived ids', () => {
  it('derives UUIDs, equal for equal input only', () => {
    expect(derivedId(id, '1')).to.match(/^[0-9a-f-]{14}4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(derivedId(id, '1')).to.equal(derivedId(id, '1'));
    expect(new Set([derivedId(id, '1'), derivedId(id, '2'), id]).size).to.equal(3);
  });
});
