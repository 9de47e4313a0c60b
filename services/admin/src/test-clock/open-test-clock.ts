import { ConfigError } from '@panel/kit/process';
import type { MongoConnection } from '@panel/kit/mongo';
import { createTestClockStore } from '../models/test-clock.js';
import { ClockKeeper } from './clock-keeper.js';

/**
 * Before anything else runs. Null: off. Throws ConfigError: an installation begins with a test clock or never has one,
 * and one whose time was moved does not return to real time.
 */
export async function openTestClock(mongo: MongoConnection, isOn: boolean): Promise<ClockKeeper | null> {
  const store = createTestClockStore(mongo);
  const clock = await store.find();
  if (!isOn) {
    if (clock && clock.offsetMs > 0) {
      throw new ConfigError(['the time of this installation was moved: it runs with TEST_CLOCK=true only']);
    }
    return null;
  }
  if (clock === null && !(await store.create())) {
    throw new ConfigError(['TEST_CLOCK is for new installations: this one has run without a test clock']);
  }
  return new ClockKeeper(store);
}
