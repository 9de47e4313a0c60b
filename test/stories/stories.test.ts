import { readTestConfig } from '@panel/testing';
import { expect } from 'chai';
import { runStory } from './run-story.js';
import { quarter, year } from './stories/year.js';
import { Timeline } from './timeline.js';

/** The year takes a minute and a half on two processors. */
const story = readTestConfig().isLong ? year : quarter;

describe('the stories', function () {
  this.timeout(300_000);

  it(`plays ${story.title}, in which everything agrees`, async () => {
    const { lines, violations } = await runStory(story, new Timeline(() => undefined));
    expect(violations).to.deep.equal([]);
    const told = lines.join('\n');
    for (const part of [
      / mail {6}Cavern is suspended\n[\s\S]*suspended \(overdue\)[\s\S]* mail {6}Cavern is available again\n/,
      / Large cavern: active/,
      / mail {6}Refund for invoice /,
      / credit {4}R-CN-000001 {2}-5\.35 EUR/,
      / mail {6}Cavern is cancelled and ends on [\s\S]* mail {6}Cavern has ended\n[\s\S]* Large cavern: cancelled/,
    ]) {
      expect(told).to.match(part);
    }
  });
});
