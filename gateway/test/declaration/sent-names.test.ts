import { AppError, fieldProblem, invalidFields, isAppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { withSentNames } from '../../src/declaration/sent-names.js';

describe('names that were sent', () => {
  const metadataOf = async (error: Error) => {
    const failed = await withSentNames({ 'plans.0.price': 'price' }, Promise.reject(error)).catch(
      (thrown: unknown) => thrown,
    );
    return isAppError(failed) ? failed.metadata : failed;
  };

  it('replaces those of the service in texts and reasons, and leaves others alone', async () => {
    const problem = [fieldProblem('not_allowed', 'must be in EUR')];
    const fields = {
      'plans.0.price': problem,
      'plans.0.price.amount': problem,
      'plans.0.pricey': problem,
      name: problem,
    };
    const names = ['price', 'price.amount', 'plans.0.pricey', 'name'];
    const { fields: texts, reasons } = (await metadataOf(invalidFields(fields))) as Record<string, object>;
    expect(Object.keys(texts ?? {})).to.deep.equal(names);
    expect(reasons).to.deep.equal(Object.fromEntries(names.map((name) => [name, ['not_allowed']])));
  });

  it('leaves other failures as they are', async () => {
    const conflict = new AppError('already_exists', 'PRODUCT_SLUG_TAKEN', 'taken', { slug: 'x' });
    expect(await metadataOf(conflict)).to.deep.equal({ slug: 'x' });
    expect(await withSentNames({}, Promise.resolve(5))).to.equal(5);
  });
});
