import {describe, test} from 'vitest';
import {parseProperties} from '../../../../plugins/jvm-archive/src/ask-jvm.js';
import {featureVersion} from '../../../../plugins/jvm-archive/src/feature-version.js';

describe('J3: the version of a JVM', () => {
  test.for([
    ['1.8.0_402', 8],
    ['8', 8],
    ['9-ea', 9],
    ['11.0.2', 11],
    ['17.0.15', 17],
    ['21', 21],
    ['25-ea', 25],
    ['25.0.3+9-LTS', 25],
    ['1', undefined],
    ['', undefined],
    ['banana', undefined],
    ['2024.1', undefined],
  ] as const)('%s is feature %s', ([version, feature], {expect}) => {
    expect(featureVersion(version)).toBe(feature);
  });

  const properties = (version: string, name: string): string =>
    `Property settings:\n    java.vm.name = ${name}\n    java.specification.version = ${version}\n    java.version = ${version}.0.1\n`;

  test('is found among whatever else is printed', ({expect}) => {
    const chatter = [
      'Picked up JAVA_TOOL_OPTIONS: -Dversion="1.8.0" -Djava.specification.version = 8',
      'NOTE: Picked up JDK_JAVA_OPTIONS: -Dx=y z',
      'jenv: using java 11',
      'openjdk version "11.0.2" 2019-01-15',
    ].join('\n');
    expect(parseProperties(`${chatter}\n${properties('25', 'OpenJDK 64-Bit Server VM')}${chatter}`)).toEqual({
      feature: 25,
    });
    expect(parseProperties(properties('1.8', 'Java HotSpot(TM) 64-Bit Server VM'))).toEqual({feature: 8});
  });

  test('is of no use for another JVM than HotSpot, and unknown where nothing is said', ({expect}) => {
    expect(parseProperties(properties('17', 'Eclipse OpenJ9 VM'))).toEqual({feature: 0});
    expect(parseProperties(properties('17', 'IBM J9 VM'))).toEqual({feature: 0});
    expect(parseProperties('openjdk version "17.0.1"')).toBeUndefined();
    expect(parseProperties('')).toBeUndefined();
  });
});
