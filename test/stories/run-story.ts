import { findViolations } from './checks.js';
import { Scene, type Story } from './scene.js';
import type { Timeline } from './timeline.js';

interface StoryResult {
  readonly lines: readonly string[];
  readonly violations: readonly string[];
  readonly seconds: number;
}

/** On an installation of its own. Throws StoryError. */
export async function runStory(story: Story, timeline: Timeline): Promise<StoryResult> {
  const scene = await Scene.open(timeline);
  try {
    await story.play(scene);
    await scene.settle();
    const violations = await findViolations(scene);
    return { lines: timeline.lines, violations, seconds: timeline.seconds };
  } finally {
    await scene.panel.stop();
  }
}
