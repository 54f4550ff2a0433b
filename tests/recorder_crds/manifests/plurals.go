package manifests

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gobuffalo/flect"
)

// kinds whose plural is not always an s away, among ordinary ones.
const kinds = `A API Ab Abc Ability Access Address Advice Aircraft Album Alertmanager Alias Alumna Alumnus Analysis Annex 
Antenna Apex App AppService Appendix Aquarium Arch Archive Array Atlas Automaton Axis Bacterium Bar Barracks 
Base Basis Batch Baz Belief Bench Bias Bigfoot Blitz Bonus Boss Box Boy Branch Brief Brother Brush Buffalo 
Bus Business Buzz Cache Cactus Cafe Calf Campus Canary Canvas Carafe Cargo Case Category Cattle Cause Cave 
Census Certificate Chassis Checkbox Chief Child Chorus Church Circus City Class Clause Cliff Cluster 
ClusterRole Codex Compass Complex Cookie Corpus Count Country Course Crisis Criterion CronJob Cross 
Crossroads Curriculum Curve DNS DNSRecord DaemonSet Data Database Datum Day Deer Delivery Demo Dependency 
Deployment Details Diagnosis Dice Die Directive Dish Disk Display Domino Dormouse Dove Dress Drive Dwarf Echo 
Elf Embargo Emphasis EndpointSlice Endpoints Enterprise Entry Epoch Equipment Essay Events Evidence Example 
Excuse Exercise Eyetooth Family Fax Feature Feedback Fez Fireman Firmware Fish Five Fizz Flash Focus Foo 
FooBar Foot Formula Forum Fox Franchise Freeze Fungus Furniture Gadget Gallery Gallows Gas Gateway Genesis 
Genius Genus German Giraffe Glass Glove Godchild Golf Goose Grandchild Grass Grave Guestbook HTTPRoute Half 
Halo Handkerchief Hardware Harness Hash Headquarters Hero Hertz Hex Hive Homework Hoof Horse House Hovercraft 
Human Hypothesis IPAddress Identity Illness Inbox Index Information Ingress Inventory Iris Issuer Items Jeans 
Jenkins Journey KafkaTopic Kangaroo Key Knave Knife Knowledge Kubernetes Larva Leaf Leafset Lease Lens 
Library License Life Limits Live Loaf Logo Loss Lotus Louse Luggage MachineSet Macro Mailbox Malware Man Mass 
Match Matrix Maze Means Medium Memo Memorandum Mesh Metadata Middleware Minibus Mix Monarch Money Mongoose 
Monkey Moose Mosquito Mouse Move Movie Museum Music Native Nebula Nemesis Nerve Network NetworkAttachment 
NetworkPolicy News Nexus Node Nodes Nucleus Nurse OS Oasis Objective Octopus Offspring Olive Options Opus 
Ottoman Ox Parenthesis Pass Patch Pause Pelvis Penny Person Phase Phenomenon Photo Piano Pipeline Plus Pods 
Police Policeman Policy Polyhedron PostgresCluster Postgresql Potato Prefix Prize Process Progress Prometheus 
PrometheusRule Promise Proof Prospectus Proxy Purpose Quantum Quartz Query Quiz Qux Radio Radius RedisCluster 
Reef Reflex Refresh Region Registry Relay Release Replay Repo Repository Research Reserve Response Reuse Rice 
Roman Roof Safe Safeguard Sales Salesperson Salmon Sample Sandbox Scaling Scarf Schema Scissors Search Self 
Series ServiceMesh ServiceMonitor Settings Shaman Sheep Shelf Sheriff Silo Site Size Sketch Slave Sleeve 
Snapshot Software Solo Spacecraft Species Spectrum Stadium Staff Status Stimulus Stomach StorageClass 
Strategy Stratum Stress Strife Stuff Success Suffix Sugar Surf Surplus Survey Swine Switch Syllabus Synopsis 
Synthesis TLS Talisman Tax Tenant Tennis Terminus Test Testis Thesis Thief Titmouse Tomato Tools Tooth Topaz 
Topology Torch Torpedo Toy Traffic Trousers Trout Turbo Turf Twelve URL VPC VPN Valve Verse Vertebra Vertex 
Veto Video Virus Volcano Volume VolumeSnapshotClass Vortex Walrus Waltz Watch Water Wave Weather Wharf Widget 
Wife Witness Wolf Woman Workspace X Zone Zoo `

// Plurals records the resource names that controller-gen derives from kinds, one a line.
func Plurals(out string) error {
	names := strings.Fields(kinds)
	slices.Sort(names)
	var text bytes.Buffer
	text.WriteString("{")
	for i, kind := range slices.Compact(names) {
		if i > 0 {
			text.WriteString(",")
		}
		fmt.Fprintf(&text, "\n%q:%q", kind, strings.ToLower(flect.Pluralize(kind)))
	}
	text.WriteString("\n}\n")
	return os.WriteFile(out, text.Bytes(), 0o644)
}
