import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { deferred, reasonOf } from '@panel/kit/testing';
import { Registry, testDocker } from '@panel/testing/engine';
import { expect } from 'chai';
import type { RegistryCredentials } from '../src/runtime.js';
import { within } from '../src/testing/reading.js';
import { Fixture, type Subject } from './fixture.js';

const own = { x64: 'amd64', arm64: 'arm64' }[process.arch as 'x64' | 'arm64'] ?? '';
const ada = { username: 'ada', password: 'of-ada-4711', identityToken: 'token-of-ada-0815' };
const bob = { username: 'bob', password: 'of-bob-4712', identityToken: 'token-of-bob-0816' };
const wrong = { username: 'ada', password: 'not-of-ada-4713', identityToken: '' };
const waitMs = 20_000;

/** Images that a registry gives to some only. */
export function dockerRegistries(subject: Subject): void {
  for (const scheme of ['basic', 'token'] as const) {
    describe(`a registry with logins by ${scheme}`, () => {
      const docker = testDocker();
      let fixture: Fixture;
      let registry: Registry;
      const pulled = new Set<string>();
      before(async () => {
        registry = await Registry.start({ scheme, accounts: [ada, bob] });
      });
      beforeEach(() => {
        fixture = new Fixture(subject);
        registry.authorizations.length = 0;
        registry.readers.length = 0;
        registry.beforeManifest = async () => undefined;
      });
      afterEach(async () => {
        await fixture.close();
        for (const image of pulled) await docker.getImage(image).remove({ force: true });
        pulled.clear();
      });
      after(() => registry.stop());

      const publish = () => registry.publish(randomUUID(), [own]);
      const of = (account: typeof ada, secret: 'password' | 'identityToken' = 'password'): RegistryCredentials => ({
        ...account,
        registry: registry.address,
        [secret === 'password' ? 'identityToken' : 'password']: '',
      });
      const create = async (image: string, credentials?: RegistryCredentials, steps: string[] = []) => {
        await fixture.runtime.create(
          fixture.spec('echo never', { image, ...(credentials && { credentials }) }),
          (...step) => steps.push(step.join(' ')),
        );
        pulled.add(image);
      };
      const caught = async (work: Promise<unknown>) =>
        work.then(
          () => null,
          (error: unknown) => error,
        );
      const refused = (image: string, reason: string) => ({
        reason: 'IMAGE_PULL_FAILED',
        message: `could not get the image ${image}`,
        metadata: { image, reason },
      });

      it(`pulls with the right credentials by ${scheme}`, async () => {
        const image = publish();
        await create(image, of(ada));
        expect((await docker.getImage(image).inspect()).Architecture).to.equal(own);
        expect(new Set(registry.readers)).to.deep.equal(new Set(['ada']));
      });

      it(`says that wrong credentials by ${scheme} are refused, without a secret`, async () => {
        const image = publish();
        const error = await caught(create(image, of(wrong)));
        expect(error).to.deep.include(refused(image, `the registry ${registry.address} refused the credentials`));
        expect(inspect(error, { depth: 10 })).not.to.include(wrong.password);
        expect(registry.readers).to.deep.equal([]);
      });

      it(`says that a registry by ${scheme} wants credentials where there are none`, async () => {
        const image = publish();
        const words = `the registry ${registry.address} wants credentials: an administrator can add them`;
        expect(await caught(create(image))).to.deep.include(refused(image, words));
      });

      it(`pulls the image of an installer with credentials by ${scheme}`, async () => {
        const image = publish();
        const install = async (credentials: RegistryCredentials) => {
          const spec = fixture.install('echo never', { image, credentials });
          return reasonOf(fixture.runtime.install(spec, () => undefined, new AbortController().signal));
        };
        expect(await install(of(wrong))).to.equal('IMAGE_PULL_FAILED');
        // It holds no shell.
        expect(await install(of(ada))).to.equal('INSTALL_FAILED');
        pulled.add(image);
        expect(new Set(registry.readers)).to.deep.equal(new Set(['ada']));
      });

      it(`refuses wrong credentials by ${scheme} while others pull the same image`, async () => {
        const image = publish();
        const [begun, goOn] = [deferred(), deferred()];
        registry.beforeManifest = async () => {
          begun.resolve();
          await goOn.promise;
        };
        const first = create(image, of(ada));
        try {
          await within(waitMs, 'the first pull', begun.promise);
          const second = within(waitMs, 'the answer to wrong credentials', reasonOf(create(image, of(wrong))));
          expect(await second).to.equal('IMAGE_PULL_FAILED');
        } finally {
          goOn.resolve();
          await first;
        }
      });

      it(`pulls an image with the credentials by ${scheme} of each of two eggs at the same time`, async () => {
        const image = publish();
        const begun = new Map([ada, bob].map(({ username }) => [username, deferred()]));
        const both = Promise.all([...begun.values()].map(async ({ promise }) => promise));
        registry.beforeManifest = async (username) => {
          begun.get(username)?.resolve();
          await both;
        };
        await within(waitMs, 'both pulls', Promise.all([create(image, of(ada)), create(image, of(bob))]));
        expect(new Set(registry.readers)).to.deep.equal(new Set(['ada', 'bob']));
      });

      it(`pulls once for equal credentials by ${scheme}`, async () => {
        // From the second image on, the engine has the layer of all.
        await create(publish(), of(ada));
        const before = registry.readers.length;
        await create(publish(), of(ada));
        const ofOne = registry.readers.length - before;
        const image = publish();
        const [begun, goOn] = [deferred(), deferred()];
        registry.beforeManifest = async () => {
          begun.resolve();
          await goOn.promise;
        };
        const first = create(image, of(ada));
        await within(waitMs, 'the first pull', begun.promise);
        const joined = deferred();
        const spec = fixture.spec('echo never', { image, credentials: of(ada) });
        const second = fixture.runtime.create(spec, (step) => step === 'pull_image' && joined.resolve());
        await within(waitMs, 'the second pull', joined.promise);
        goOn.resolve();
        await Promise.all([first, second]);
        expect(registry.readers).to.have.lengthOf(before + 2 * ofOne);
      });

      it(`uses the image of the node where the registry refuses credentials by ${scheme}, and says so`, async () => {
        const image = publish();
        await create(image, of(ada));
        const steps: string[] = [];
        await create(image, of(wrong), steps);
        const words = `the registry ${registry.address} refused the credentials`;
        expect(steps).to.include(`use_local_image ${image} ${words}`);
        expect(steps.join('\n')).not.to.include(wrong.password);
      });

      it(`sends credentials by ${scheme} to no other registry`, async () => {
        const other = await Registry.start({ scheme, accounts: [ada] });
        try {
          const image = other.publish(randomUUID(), [own]);
          const words = `the registry ${other.address} wants credentials: an administrator can add them`;
          expect(await caught(create(image, of(ada)))).to.deep.include(refused(image, words));
          expect([...other.authorizations, ...registry.authorizations]).to.deep.equal([]);
        } finally {
          other.stop();
        }
      });

      if (scheme !== 'token') return;

      it('pulls with an identity token, with and without a username', async () => {
        await create(publish(), of(ada, 'identityToken'));
        await create(publish(), { ...of(bob, 'identityToken'), username: '' });
        expect(new Set(registry.readers)).to.deep.equal(new Set(['ada', 'bob']));
      });

      it('says that a wrong identity token is refused, without the token', async () => {
        const image = publish();
        const token = 'a-wrong-identity-token';
        const error = await caught(create(image, { ...of(ada, 'identityToken'), identityToken: token }));
        expect(error).to.deep.include(refused(image, `the registry ${registry.address} refused the credentials`));
        expect(inspect(error, { depth: 10 })).not.to.include(token);
      });
    });
  }
}
