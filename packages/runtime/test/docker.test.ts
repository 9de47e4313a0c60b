import { randomUUID } from 'node:crypto';
import { createDockerRuntime } from '../src/docker/docker-runtime.js';
import { runtimeConformance } from './conformance.js';
import { dockerConfinement } from './docker-confinement.js';
import { dockerEngine } from './docker-engine.js';
import { dockerPlatforms } from './docker-platforms.js';
import { dockerPrompts } from './docker-prompts.js';
import { dockerRegistries } from './docker-registries.js';
import { dockerInterruptions } from './docker-interruptions.js';
import type { Subject } from './fixture.js';
import { engineMissing, engineUrl, imageName, makeTestImages } from '@panel/testing/engine';

const missing = await engineMissing();

describe('Docker runtime', function () {
  if (missing !== null) {
    // A skip must be visible.
    it(
      `skips the Docker runtime: needs a container engine (${missing})`,
      process.env.CI ? () => Promise.reject(new Error(missing)) : undefined,
    );
    return;
  }
  this.timeout(180_000);
  before(async () => makeTestImages());

  const panelId = `test-${randomUUID()}`;
  const subject: Subject = {
    open: () => createDockerRuntime({ url: engineUrl, panelId }),
    image: `~${imageName}:1`,
  };
  runtimeConformance(subject);
  dockerConfinement(subject);
  dockerEngine(subject, panelId);
  dockerInterruptions(subject, panelId);
  dockerPlatforms(subject, panelId);
  dockerPrompts(subject);
  dockerRegistries(subject);
});
