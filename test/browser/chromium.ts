/** A real browser: Debian's Chromium with an empty profile and no network of its own. */
import { type Browser, chromium } from 'playwright-core';

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-features=${[...OF_PLAYWRIGHT, ...OF_WINDOWS]}`,
    ],
  });
}

/** What Playwright has every browser do without; of two lists the later one counts, so that these are said again. */
const OF_PLAYWRIGHT = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** Pages behind the address bar that nobody sees: two for each window, which cost more than ours in it. */
const OF_WINDOWS = ['WebUIOmniboxAimPopup', 'WebUIOmniboxPopup'];
