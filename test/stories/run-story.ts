import { findViolations } from './checks.js';
import { Scene, type Story } from './scene.js';
import type { Timeline } from './timeline.js';

export interface Told {
  readonly lines: readonly string[];
  readonly violations: readonly string[];
  readonly seconds: number;
}

/** On an installation of its own. Throws where the story does not go as told. */
export async function runStory(story: Story, timeline: Timeline): Promise<Told> {
  const scene = await Scene.open(timeline);
  try {
    await story.tell(scene);
    await scene.settle();
    const violations = await findViolations(scene);
    return { lines: timeline.lines, violations, seconds: timeline.seconds };
  } finally {
    await scene.panel.stop();
  }
}
