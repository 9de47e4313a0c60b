import { expect } from 'chai';
import { type ActivityEvent, activityEvents } from '../src/index.js';

describe('the registry of activity events', () => {
  it('lists names and facts that the admin service takes', () => {
    for (const [event, facts] of Object.entries<readonly string[]>(activityEvents)) {
      expect(event).to.match(/^[a-z][a-z0-9-]*:[a-z0-9-]+(\.[a-z0-9-]+)*$/);
      expect(facts.length).to.be.at.most(20);
      for (const name of facts) expect(name).to.match(/^[a-z][a-z0-9_]{0,39}\??$/);
    }
  });

  it('refuses a misspelt event or fact at compile time', () => {
    const events: ActivityEvent[] = [
      { event: 'nest:delete', properties: { id: '1' } },
      // @ts-expect-error: no such event
      { event: 'nest:remove', properties: { id: '1' } },
      // @ts-expect-error: no such fact
      { event: 'nest:delete', properties: { id: '1', nest: '1' } },
      // @ts-expect-error: a fact is missing
      { event: 'nest:delete', properties: {} },
      // @ts-expect-error: it carries none
      { event: 'auth:success', properties: { id: '1' } },
    ];
    const misspelt = { nest_id: '1' };
    // @ts-expect-error: also where the facts were put together before
    events.push({ event: 'nest:delete', properties: misspelt });
    expect(events).to.have.length(6);
  });
});
