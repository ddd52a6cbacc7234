"""What to write instead of names that people try first: of attributes, and of keywords."""

from __future__ import annotations

OF_AN_ARM = {
    "arm.n is the number of joints, which is that of links": (
        "dof ndof n_dof num_dof nq nv "
        "njoints n_joints num_joints nlinks n_links num_links joint_count"
    ),
    "arm.gravity is the acceleration of gravity, x and y [m/s²]": "g gravity_vector",
    "an arm has no state; q and qd are passed to functions, and ulna.Simulation holds them": (
        "state q qd angles positions velocities dynamics kinematics"
    ),
    "arm.lengths are the links' lengths [m]": "link_lengths length l L a",
    "arm.masses are the links' masses [kg]": "link_masses m",
    "arm.mass is that of links, point masses and payload [kg]": "total_mass weight",
    "arm.parameters.com are the links' centres of mass [m], arm.parameters.com_offset how far they "
    "lie to the side": "com coms centers centres centers_of_mass centres_of_mass r",
    "arm.parameters.inertia are the links' inertias about their centres of mass [kg·m²]": (
        "inertia inertias link_inertias I"
    ),
    "arm.parameters.lower and arm.parameters.upper are the joints' limits [rad]": (
        "limits joint_limits qlim q_lim q_min q_max lower upper lower_limits upper_limits"
    ),
    "arm.parameters.max_torque are the joints' torque limits [N·m]": (
        "max_torque max_torques torque_limits tau_max effort_limits"
    ),
    "arm.parameters.damping is the joints' viscous damping [N·m·s/rad]": (
        "damping dampings joint_damping friction b"
    ),
    "ulna.kinematics.tip(arm, q) is the pose of the tip, ulna.kinematics.joints(arm, q) are the "
    "positions of all joints": (
        "fk fkine forward forward_kinematics pose tip end_effector tip_position"
    ),
    "ulna.kinematics.inverse(arm, target) gives every posture for a point": (
        "ik ikine inverse inverse_kinematics"
    ),
    "ulna.kinematics.jacobian(arm, q) is the Jacobian of the tip": "jacobian jacob0 jacobe jac",
    "ulna.kinematics.workspace(arm) is what the tip reaches": "workspace",
    "ulna.dynamics.mass_matrix(arm, q), coriolis_matrix(arm, q, qd) and gravity_torque(arm, q) are "
    "the terms of its equations of motion": (
        "mass_matrix inertia_matrix M C G coriolis coriolis_matrix gravity_torque gravload"
    ),
    "ulna.dynamics.inverse_dynamics(arm, q, qd, qdd) are the torques of a motion": (
        "rne rnea inverse_dynamics torque"
    ),
    "ulna.dynamics.forward_dynamics(arm, q, qd, tau) are the accelerations": (
        "aba accel fdyn forward_dynamics"
    ),
    "ulna.simulate(arm, q0=..., duration=...) simulates an arm": "simulate step run",
    "ulna.plan(arm, path) plans a motion along a path": "plan follow",
    "ulna.plot(arm) draws an arm": "plot show draw",
    "ulna.save(arm, 'arm.toml') writes a robot file": "save write to_toml to_file dump",
    "arm.links, arm.joints and arm.parameters are all that it is": "to_dict as_dict dict params",
    "arm.with_payload(0.5) carries another load [kg]": (
        "add_payload set_payload payload_mass with_load set_load"
    ),
    "an arm's name is arm.name, its joints are counted from 1": "joint_names link_names names",
    "print(arm) describes it": "describe summary info",
    "arm.reach is the length of all links together [m]": "total_length max_reach",
    "arm.base is the position of the first joint, x and y [m]": (
        "base_position origin position root"
    ),
    "arm.replace(links=...) is an arm of other links": "scale scaled resize with_lengths",
    "arm.replace(gravity=(0, 0)) is an arm that differs in some fields": (
        "copy with_gravity set_gravity with_name"
    ),
}
OF_THE_CLASS = {
    "ulna reads robot files of its own, in TOML, and no URDF: `ulna new arm.toml --links 2` writes "
    "one to begin with, ulna.load('arm.toml') reads it, and Arm.of([Link(length, mass, com, "
    "inertia), ...]) makes the same in Python": "from_urdf from_xml from_mjcf from_sdf urdf URDF",
    "ulna.load('arm.toml') reads a robot file": (
        "load from_file from_toml from_json from_yaml read open"
    ),
    "ulna.preset('kehl') is an arm by name, ulna.presets() lists them": (
        "preset from_preset from_name"
    ),
    "Arm.of(links, joints) makes an arm of parts": (
        "from_links create make build from_dict from_dh dh DH from_parameters"
    ),
    "Arm.rods(lengths, masses) makes an arm of uniform rods": (
        "rod uniform uniform_rods from_lengths planar two_link three_link n_link serial"
    ),
    "Arm.point_masses(lengths, masses) makes one with a mass at the end of every link": (
        "point_mass points massless"
    ),
}
OF_A_LINK = {
    "link.length is in metres": "l L a",
    "link.mass is in kilograms": "m",
    "link.com is the distance of the centre of mass along the link [m]": (
        "center center_of_mass centre_of_mass r lc l_c cog"
    ),
    "link.inertia is about the centre of mass [kg·m²]": "I Icm moment_of_inertia",
}
OF_A_JOINT = {
    "joint.lower and joint.upper are its limits [rad]": (
        "limits limit range qlim min max q_min q_max lower_limit upper_limit"
    ),
    "joint.max_torque is its torque limit [N·m]": "torque_limit effort tau_max",
    "joint.max_velocity is the limit of its rate [rad/s]": "velocity_limit max_speed qd_max",
    "joint.damping is viscous [N·m·s/rad], joint.friction dry": "viscous viscous_friction b B",
}

# Keywords of what makes an arm.
RODS = (
    "Arm.rods(lengths, masses) makes an arm of uniform rods, Arm.of([Link(length, mass, com, "
    "inertia), ...]) one of any links"
)
OF_RODS = dict.fromkeys(["lengths", "masses", "com", "coms", "inertia", "inertias"], RODS)
OF_LINKS = dict.fromkeys(
    ["com", "coms", "inertia", "inertias", "I", "lc", "center_of_mass", "centers_of_mass", "links"],
    "Arm.of([Link(length, mass, com=..., inertia=...), ...]) makes an arm of such links",
)
OF_JOINTS = {
    name: f"it belongs to the joints: joints=[Joint({field}), ...], one a link"
    for field, names in {
        "max_torque=10": "torque_limits torque_limit max_torque max_torques tau_max effort_limits",
        "max_velocity=2": "velocity_limits velocity_limit max_velocity max_velocities qd_max",
        "damping=0.1": "damping dampings joint_damping viscous b",
        "friction=Friction(coulomb=0.2), damping=0.1": "friction frictions coulomb",
        "lower=-2, upper=2": "limits joint_limits qlim lower upper q_min q_max",
    }.items()
    for name in names.split()
}
