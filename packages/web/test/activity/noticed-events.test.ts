import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { noticedEvents } from '../../src/activity/noticed-events.js';

const registry = readFileSync(new URL('../../../../activity/src/events.ts', import.meta.url), 'utf8');

describe('events that are shown as they happen', () => {
  for (const name of noticedEvents.keys()) {
    it(`knows ${name} as the registry of events does`, () => {
      expect(registry).to.include(`'${name}': `);
    });
  }
});
