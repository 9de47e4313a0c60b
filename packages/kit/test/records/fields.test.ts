import { expect } from 'chai';
import { documentSchema } from '../../src/mongo/index.js';
import {
  count,
  date,
  flag,
  id,
  listOf,
  oneOf,
  optional,
  orNull,
  part,
  text,
  textMap,
} from '../../src/records/index.js';

const taskFields = { id, action: oneOf(['start', 'stop']), delayMs: count };
const schema = documentSchema({
  id,
  name: text,
  labels: listOf(text),
  tasks: listOf(part(taskFields)),
  last: orNull(part(taskFields)),
  endedAt: orNull(date),
  isHidden: optional(flag),
  note: optional(text),
  environment: textMap,
});

interface SchemaPath {
  readonly isRequired?: boolean;
  readonly options: { readonly default?: unknown };
  readonly schema: typeof schema;
  doValidate(value: unknown, scope: object): Promise<void>;
}

const pathOf = (name: string, of: object = schema) =>
  (of as typeof schema).path(name as never) as unknown as SchemaPath;

describe('declared fields', () => {
  it('stores the id as _id, which is required', () => {
    expect(schema.path('id' as never)).to.equal(undefined);
    expect(pathOf('_id').isRequired).to.equal(true);
  });

  it('keeps an id beside a declared _id', () => {
    const both = documentSchema({ _id: id, id });
    expect(Object.keys(both.paths)).to.have.members(['_id', 'id']);
  });

  it('gives parts no id of their own and refuses unknown fields in them', () => {
    const { schema: tasks } = pathOf('tasks');
    expect(Object.keys(tasks.paths)).to.have.members(['id', 'action', 'delayMs']);
    expect(tasks.get('strict')).to.equal('throw');
  });

  it('lets null fields be null and optional fields be absent', () => {
    for (const name of ['last', 'endedAt']) expect(pathOf(name).options.default, name).to.equal(null);
    for (const name of ['isHidden', 'note']) expect(pathOf(name).options.default, name).to.equal(undefined);
    for (const name of ['last', 'endedAt', 'isHidden', 'note'])
      expect(pathOf(name).isRequired, name).to.not.equal(true);
  });

  it('accepts null, but no other word, in a field of words that may be null', async () => {
    const words = documentSchema({ id, step: orNull(oneOf(['remind', 'due'])) });
    const accepts = async (step: string | null) =>
      pathOf('step', words)
        .doValidate(step, {})
        .then(
          () => true,
          () => false,
        );
    expect(await Promise.all([null, 'due', 'other'].map(accepts))).to.deep.equal([true, true, false]);
  });
});
