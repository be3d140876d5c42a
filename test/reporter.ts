/** Writes the counts of a run where the test command adds them up. */
import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

// biome-ignore lint/style/noDefaultExport: a reporter is loaded by its default export
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const file = process.env.TEST_COUNTS;
    if (!file) return;
    const tests = modules.flatMap(module => [...module.children.allTests()]);
    const failed = tests.filter(test => test.result().state === 'failed').length;
    const passed = tests.filter(test => test.result().state === 'passed').length;
    // A file that cannot be loaded, or an error outside any test, is a failure too.
    const broken = modules.filter(module => module.errors().length > 0).length + unhandled.length;
    writeFileSync(file, JSON.stringify({ passed, failed: failed + broken }));
  }
}
