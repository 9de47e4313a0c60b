import { expect } from 'chai';
import {
  detectFeature,
  featureNames,
  imageForJava,
  knownFeatures,
  tokenVariable,
} from '../../../src/domain/eggs/features.js';

const images = [
  { label: 'Java 21', image: 'ghcr.io/pelican-eggs/yolks:java_21' },
  { label: 'Java 17', image: 'ghcr.io/pelican-eggs/yolks:java_17' },
  { label: 'Java 8', image: 'ghcr.io/pelican-eggs/yolks:java_8' },
];
const detect = (line: string, features = [...featureNames]) => detectFeature(features, line, images);

describe('features of eggs', () => {
  it('accepts the features that the panel knows', () => {
    expect(knownFeatures(['fastdl', 'pid_limit', 'eula'])).to.deep.equal(['eula', 'pid_limit']);
  });

  const lines: readonly (readonly [string, string])[] = [
    [
      '[12:00:00] [Server thread/INFO]: You need to agree to the EULA in order to run the server. Go to eula.txt',
      'eula',
    ],
    ['\u001b[31mYou need to \u001b[1magree to the EULA in order to run the server', 'eula'],
    ['Exception in thread "main" java.lang.UnsupportedClassVersionError: net/minecraft/bundler/Main', 'java_version'],
    ['Error: Unsupported Java detected (55.0). Only up to Java 16 is supported.', 'java_version'],
    ['SteamCMD needs 250MB of free disk space to update.', 'steam_disk_space'],
    ["Error! App '740' state is 0x202 after update job.", 'steam_disk_space'],
    ['Could not establish connection to Steam servers. (GSL token expired)', 'gsl_token'],
    ['java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory', 'pid_limit'],
    ['[warning][os,thread] Failed to create thread', 'pid_limit'],
  ];
  for (const [line, feature] of lines) {
    it(`recognises ${feature} in ${JSON.stringify(line.slice(0, 60))}`, () => {
      expect(detect(line)?.feature).to.equal(feature);
      expect(detect(line, [])).to.equal(null);
    });
  }

  it('recognises no feature in ordinary lines', () => {
    for (const line of ['Done (3.2s)!', 'player said: I agree', 'Loading libraries, please wait...', ''])
      expect(detect(line), line).to.equal(null);
  });

  it('names the image with the lowest Java that is new enough', () => {
    const classFile = detect(
      'UnsupportedClassVersionError: Main has been compiled by a more recent version of the Java Runtime (class file version 61.0)',
    );
    expect(classFile).to.deep.include({ javaVersion: 17, dockerImage: 'ghcr.io/pelican-eggs/yolks:java_17' });
    const words = detect('Minecraft 1.18 requires running the server with Java 17 or above.');
    expect(words).to.deep.include({ javaVersion: 17, dockerImage: 'ghcr.io/pelican-eggs/yolks:java_17' });
    expect(detect('unsupported major.minor version 52.0')).to.deep.include({
      javaVersion: 8,
      dockerImage: 'ghcr.io/pelican-eggs/yolks:java_8',
    });
    expect(imageForJava(images, 25)).to.equal(null);
    expect(
      imageForJava(
        [
          { label: 'x', image: 'eclipse-temurin:21-jre' },
          { label: 'Java 22', image: 'y' },
        ],
        20,
      ),
    ).to.equal('y');
  });

  it('finds the variable of a login token', () => {
    expect(tokenVariable([{ envVariable: 'MAP' }, { envVariable: 'STEAM_ACC' }])).to.equal('STEAM_ACC');
    expect(tokenVariable([{ envVariable: 'MAP' }])).to.equal(null);
  });
});
