import { expect } from 'chai';
import { asSentence } from '../../src/rest/as-sentence.js';

describe('sentence of an error', () => {
  const cases = [
    ['the server runs already', 'The server runs already.'],
    ['too many requests: try again in 17 seconds', 'Too many requests: try again in 17 seconds.'],
    ['general.url is no address', 'general.url is no address.'],
    ['docker_image is missing', 'docker_image is missing.'],
    ['"a.txt" exists', '"a.txt" exists.'],
    ['Stripe did not answer', 'Stripe did not answer.'],
    ['The credentials are wrong.', 'The credentials are wrong.'],
    ['a prompt waits: continue?', 'A prompt waits: continue?'],
    ['', ''],
  ] as const;
  for (const [clause, sentence] of cases) {
    it(`turns "${clause}" into "${sentence}"`, () => expect(asSentence(clause)).to.equal(sentence));
  }
});
