import { expect } from 'chai';
import { FeatureDetector } from '../../src/console/feature-detector.js';

const eula = 'You need to agree to the EULA in order to run the server.';

describe('the detection of features', () => {
  function setUp() {
    const seen: string[] = [];
    let load: () => void = () => undefined;
    const loaded = new Promise<void>((resolve) => {
      load = resolve;
    });
    const works: Promise<void>[] = [];
    const servers = {
      getJoined: async () => {
        await loaded;
        return { power: { generation: 1, resolvedFeatures: [] }, egg: { features: ['eula'], dockerImages: [] } };
      },
    };
    const tasks = { run: (_name: string, work: () => Promise<void>) => void works.push(work()) };
    const detector = new FeatureDetector(servers as never, tasks as never, (_id, generation, { feature }) =>
      seen.push(`${feature} of run ${generation}`),
    );
    const settle = async () => {
      load();
      await Promise.all(works);
    };
    return { detector, seen, settle };
  }

  it('finds what a game has asked for that ended before its egg was loaded', async () => {
    const { detector, seen, settle } = setUp();
    detector.onLine('server', 1, eula);
    detector.forget('server');
    await settle();
    expect(seen).to.deep.equal(['eula of run 1']);
  });

  it('finds nothing of a run that the next one has replaced', async () => {
    const { detector, seen, settle } = setUp();
    detector.onLine('server', 0, eula);
    detector.forget('server');
    detector.onLine('server', 1, 'starting');
    await settle();
    expect(seen).to.deep.equal([]);
    detector.onLine('server', 1, eula);
    expect(seen).to.deep.equal(['eula of run 1']);
  });
});
