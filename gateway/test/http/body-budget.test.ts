import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { isAppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { BodyBudget } from '../../src/http/body-budget.js';

describe('budget of request bodies', () => {
  const newResponse = () => new EventEmitter() as ServerResponse;
  const fits = (reserve: () => void) => {
    try {
      reserve();
      return true;
    } catch (error) {
      if (!isAppError(error) || error.reason !== 'BODY_BUDGET_EXHAUSTED') throw error;
      return false;
    }
  };

  it('leaves three quarters to others, whatever one caller sends', () => {
    const budget = new BodyBudget(400);
    const large = Array.from({ length: 10 }, () => fits(() => budget.reserve(newResponse(), 'one', 40)));
    expect(large.filter(Boolean)).to.have.length(2);
    for (const caller of ['two', 'three', 'four']) {
      expect(
        fits(() => budget.reserve(newResponse(), caller, 100)),
        caller,
      ).to.equal(true);
    }
    expect(fits(() => budget.reserve(newResponse(), 'five', 21))).to.equal(false);
  });

  it('gives the bytes of a response back after its end, however many pieces they came in', () => {
    const budget = new BodyBudget(400);
    const response = newResponse();
    for (let piece = 0; piece < 10; piece += 1) budget.reserve(response, 'one', 10);
    expect(fits(() => budget.reserve(newResponse(), 'one', 1))).to.equal(false);
    response.emit('close');
    expect(fits(() => budget.reserve(newResponse(), 'one', 100))).to.equal(true);
  });
});
