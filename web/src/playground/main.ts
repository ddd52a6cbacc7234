// The entry of a playground: sets the theme before anything is drawn, then mounts the page.

import { el } from "../dom";
import { startTheme } from "../theme";
import { controlTorque, suggestedGains } from "./control";
import { pythonLine, robotToml } from "./export";
import { leastSquares, reachFor } from "./inverse";
import { mechanismOf, torqueOfForce } from "./models";
import { PlaygroundPage, type PlaygroundDocument } from "./page";
import { sequentialStep, Simulation } from "./simulation";
import { fromFragment, stateOf, toFragment } from "./state";
import { CubicSpline, gaussian, planTrajectory, smoothStroke } from "./trajectory";

/** For the console, and for tests: what the page is made of, and what happens on it. */
const tools = {
  controlTorque, CubicSpline, fromFragment, gaussian, leastSquares, mechanismOf, planTrajectory, pythonLine,
  reachFor, robotToml, sequentialStep, Simulation, smoothStroke, stateOf, suggestedGains, toFragment, torqueOfForce,
};

function mount(): void {
  const host = document.querySelector<HTMLElement>("[data-ulna=playground]");
  if (!host) return;
  try {
    const content = JSON.parse(host.querySelector("script.ulna-document")?.textContent ?? "") as PlaygroundDocument;
    for (const plain of host.querySelectorAll("noscript")) plain.remove();
    const { session } = new PlaygroundPage(host, content);
    Object.assign(globalThis, { ulnaPlayground: { ...tools, session } });
  } catch (error) {
    host.append(el("p", { class: "play-broken", text: `This playground cannot be shown: ${error instanceof Error ? error.message : String(error)}` }));
    console.error(error);
  }
  host.dataset["mounted"] = "";
}

startTheme();
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mount);
else mount();
