// The entry: sets the theme before anything is drawn, then mounts every [data-ulna] of the page.

import { DocumentError, loadFrom } from "./document";
import type { ReportDocument } from "./document";
import { mountBroken, mountReport } from "./page";
import { mountPlayer } from "./player";
import { startTheme } from "./theme";

async function mount(host: HTMLElement): Promise<void> {
  try {
    if (typeof DecompressionStream === "undefined") throw new DocumentError(OLD_BROWSER);
    const loaded = await loadFrom(host);
    if (host.dataset["ulna"] === "player") mountPlayer(host, loaded);
    else mountReport(host, loaded);
  } catch (error) {
    mountBroken(host, headerOf(host), error instanceof DocumentError ? error.message : String(error));
    if (!(error instanceof DocumentError)) console.error(error);
  }
  host.dataset["mounted"] = "";
}

const OLD_BROWSER =
  "This browser cannot unpack the data. Open the file with Chrome or Edge 111, Firefox 121 or Safari 16.4, or any later one.";

/** The header alone, where the data are damaged: verdict, findings and tables can still be read. */
function headerOf(host: HTMLElement): ReportDocument | null {
  try {
    const header = JSON.parse(host.querySelector("script.ulna-document")?.textContent ?? "") as ReportDocument;
    return header.format === 1 ? header : null;
  } catch {
    return null;
  }
}

function mountAll(): void {
  for (const host of document.querySelectorAll<HTMLElement>("[data-ulna]")) void mount(host);
}

startTheme();
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mountAll);
else mountAll();
