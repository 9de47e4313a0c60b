import { expect } from 'chai';
import { z } from 'zod';
import { describeProblems, issueMessages } from '../../src/errors/index.js';

describe('field messages', () => {
  const schema = z.strictObject({
    name: z.string().min(2).max(3),
    count: z.int().min(1).max(5).optional(),
    kind: z.enum(['a', 'b']).optional(),
    tags: z.array(z.string()).max(1).optional(),
    deep: z.strictObject({ value: z.boolean() }).optional(),
    id: z.uuid().optional(),
    memory: z.int().min(128, 'must be at least 128 MB').optional(),
    owner: z.uuid('must be a UUID').optional(),
    values: z.record(z.string(), z.string()).optional(),
    price: z.strictObject({ amount: z.int(), currency: z.string() }).or(z.int()).optional(),
    choice: z
      .discriminatedUnion('type', [z.object({ type: z.literal('a') }), z.object({ type: z.literal('b') })])
      .optional(),
  });
  const reasonsOf = (value: unknown) => {
    const result = schema.safeParse(value, { reportInput: true });
    return describeProblems(issueMessages(result.success ? [] : result.error.issues)).reasons;
  };
  const of = (value: unknown) => {
    const result = schema.safeParse(value, { reportInput: true });
    return describeProblems(issueMessages(result.success ? [] : result.error.issues)).fields;
  };

  it('writes field messages that a form can show', () => {
    expect(of({})).to.deep.equal({ name: ['is required'] });
    expect(of({ name: 1 })).to.deep.equal({ name: ['must be a string'] });
    expect(of({ name: 'x', count: 9 })).to.deep.equal({
      name: ['must have at least 2 characters'],
      count: ['must be at most 5'],
    });
    expect(of({ name: 'xx', count: 1.5 })).to.deep.equal({ count: ['must be an integer'] });
    expect(of({ name: 'xx', kind: 'c' })).to.deep.equal({ kind: ['must be a or b'] });
    expect(of({ name: 'xx', tags: ['a', 'b'] })).to.deep.equal({ tags: ['must have at most 1 entry'] });
    expect(of({ name: 'xx', deep: { value: 1, more: 2 } })).to.deep.equal({
      'deep.value': ['must be a boolean'],
      'deep.more': ['is not a known field'],
    });
    expect(of({ name: 'xx', values: [] })).to.deep.equal({ values: ['must be an object'] });
    expect(of({ name: 'xx', id: 'x' })).to.deep.equal({ id: ['is not valid'] });
  });

  it('uses the message of the declaration when it has one', () => {
    expect(of({ name: 'xx', memory: 64 })).to.deep.equal({ memory: ['must be at least 128 MB'] });
    expect(of({ name: 'xx', owner: 'me' })).to.deep.equal({ owner: ['must be a UUID'] });
    expect(of({ name: 'xx', memory: 'much' })).to.deep.equal({ memory: ['must be a number'] });
  });

  it('names the field inside the form of a union that was meant', () => {
    const ofPrice = (price: unknown) => of({ name: 'xx', price });
    expect(ofPrice({ amount: 1.5, currency: 'EUR' })).to.deep.equal({ 'price.amount': ['must be an integer'] });
    expect(ofPrice({ amount: 1, currency: 'EUR', tax: 1 })).to.deep.equal({ 'price.tax': ['is not a known field'] });
    expect(ofPrice({})).to.deep.equal({ 'price.amount': ['is required'], 'price.currency': ['is required'] });
    expect(ofPrice('much')).to.deep.equal({ price: ['must be an object or a number'] });
  });

  it('gives each problem a stable reason', () => {
    expect(reasonsOf({})).to.deep.equal({ name: ['required'] });
    const wrong = { name: 'x', count: 9, kind: 'c', tags: ['a', 'b'], deep: { value: 1, more: 2 }, id: 'x', memory: 1 };
    expect(reasonsOf(wrong)).to.deep.equal({
      name: ['too_short'],
      count: ['out_of_range'],
      kind: ['not_allowed'],
      tags: ['too_long'],
      'deep.value': ['wrong_type'],
      'deep.more': ['unknown_field'],
      id: ['invalid'],
      memory: ['out_of_range'],
    });
    expect(reasonsOf({ name: 'xx', price: 'much' })).to.deep.equal({ price: ['wrong_type'] });
    expect(reasonsOf({ name: 'xx', choice: { type: 'c' } })).to.deep.equal({ 'choice.type': ['not_allowed'] });
  });

  it('names fields as the caller does, with the names before them', () => {
    const result = z
      .object({ planLimits: z.object({ memoryMb: z.int() }) })
      .safeParse({ planLimits: { memoryMb: 'x' } }, { reportInput: true });
    const name = (key: string, before: readonly string[]) => `${key}_${before.length}`;
    expect(Object.keys(issueMessages(result.error?.issues ?? [], name))).to.deep.equal(['planLimits_0.memoryMb_1']);
  });

  it('accepts reserved property names as field names', () => {
    const fields = of(JSON.parse('{"name":"xx","__proto__":1,"toString":2}'));
    expect(Object.keys(fields)).to.have.members(['__proto__', 'toString']);
    expect(({} as Record<string, unknown>)['0']).to.equal(undefined);
  });
});
